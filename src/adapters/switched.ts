// The mark of a switch, which a session bears that was carried: the whole of it in a field of ours, beside words for the
// user, in a record that the agent's CLI accepts and never sends to a model.
import { displayName } from "../models/names.ts";
import type { Entry } from "../session/session.ts";
import { isObject, type Json } from "./json.ts";

export type SwitchEntry = Extract<Entry, { type: "switch" }>;
type Switch = SwitchEntry["switch"];

/** The field, to be put into the agent's own record. */
export function switchMark({ switch: made }: SwitchEntry): { baton: { switch: Switch } } {
  return { baton: { switch: made } };
}

/** The switch that a record bears; undefined for all others, and for what is none. */
export function switchIn(record: Json): Switch | undefined {
  const made = isObject(record.baton) ? record.baton.switch : undefined;
  return isSwitch(made) && isShallow(made, DEEPEST) ? made : undefined;
}

/** What the agent's user is shown. */
export function switchWords({ switch: made }: SwitchEntry): string {
  return `Switched from ${side(made.fromProvider, made.fromModel)} to ${side(made.toProvider, made.toModel)}`;
}

/** Some models bear the name of their agent. */
function side(agent: string, model: string): string {
  const name = displayName(model);
  return name.toLowerCase().startsWith(agent.toLowerCase()) ? name : `${agent} ${name}`.trim();
}

const TEXTS = ["timestamp", "fromProvider", "toProvider", "fromModel", "toModel"] as const;

function isSwitch(value: unknown): value is Switch {
  if (!isObject(value) || typeof value.messageIndex !== "number") return false;
  const { reason = "", warnings = [] } = value;
  const isListed = Array.isArray(warnings) && warnings.every((one) => typeof one === "string");
  return TEXTS.every((name) => typeof value[name] === "string") && typeof reason === "string" && isListed;
}

/** What others add to it may be anything, but whoever writes it again must get to its end. */
const DEEPEST = 50;

function isShallow(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  return depth > 0 && Object.values(value).every((one) => isShallow(one, depth - 1));
}
