// What the writers of API histories share: names and ids that an API accepts, arguments as objects, and reports of
// what is given up.
import { type LossName, loss, type Severity } from "../session/losses.ts";
import { changedNumbers } from "../session/numbers.ts";
import type { Header, ToolCall } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { isObject, type Json } from "./check.ts";
import type { WriteOptions } from "./format.ts";
import type { Media } from "./parts.ts";

/** What an API accepts in a history. */
export interface Accepts {
  /** Characters that may not stand in an id, and in a tool's name. */
  id: RegExp;
  name: RegExp;
  longestId: number;
  longestName: number;
  /** What a name has to begin with. */
  nameStart?: RegExp;
}

export type Outgoing = ReturnType<typeof newOutgoing>;

export function newOutgoing(accepts: Accepts, { onLoss }: WriteOptions) {
  const used = new Set<string>();
  const lost = (kind: LossName, entry: string | undefined, detail: string, severity?: Severity) =>
    onLoss?.(loss(kind, entry === undefined ? {} : { entry }, detail, severity));
  return {
    lost,
    media: (part: Media, entry: string, why: string) =>
      lost(part.type === "image" ? "image_dropped" : "document_dropped", entry, why),
    /** The call's id as the API takes it, and no other call's. */
    callId({ id }: ToolCall): string {
      const clean = id.replace(accepts.id, "_").slice(0, accepts.longestId) || "call";
      let made = clean;
      for (let at = 2; used.has(made); at++) made = withSuffix(clean, `_${at}`, accepts.longestId);
      used.add(made);
      if (made !== id) lost("id_changed", id, made);
      return made;
    },
    /** The agent's own name of the tool. */
    toolName(call: ToolCall): string {
      const name = call.originalTool ?? call.tool;
      let made = name.replace(accepts.name, "_").slice(0, accepts.longestName) || "tool";
      if (accepts.nameStart && !accepts.nameStart.test(made)) made = `_${made.slice(1)}`;
      if (made !== name) lost("tool_renamed", call.id, `${name} became ${made}`);
      return made;
    },
  };
}

function withSuffix(text: string, suffix: string, longest: number): string {
  return text.slice(0, longest - suffix.length) + suffix;
}

/** The agent's own arguments: an object, or the string where they are free text. */
export function argumentsOf({ originalInput, input }: ToolCall): Json | string {
  if (isObject(originalInput)) return originalInput;
  if (typeof originalInput !== "string") return input;
  try {
    const value: unknown = JSON.parse(originalInput);
    return isObject(value) ? value : originalInput;
  } catch {
    // Free text, as a patch is.
    return originalInput;
  }
}

/** Arguments as text: the very text, where the agent has them as one. */
export function argumentText({ originalInput }: ToolCall, value: Json): string {
  return typeof originalInput === "string" ? originalInput : JSON.stringify(value);
}

/** The same as an object, which is how free text is given to a tool that takes no text. */
export function argumentObject(call: ToolCall, { lost }: Outgoing): Json {
  const value = argumentsOf(call);
  if (typeof value !== "string") {
    const numbers = typeof call.originalInput === "string" ? changedNumbers(call.originalInput) : [];
    if (numbers.length > 0) lost("number_changed", call.id, numbers.join(", "));
    return value;
  }
  lost("part_converted", call.id, "free text became the argument `input`");
  return { input: value };
}

type Fact =
  | "title"
  | "summary"
  | "project"
  | "git"
  | "config"
  | "tokens"
  | "cost"
  | "links"
  | "source"
  | "times";

/** Reports which facts of the session as a whole a format has no place for, and the subagents it leaves behind. */
export async function reportHeader(
  stream: Stream,
  keeps: readonly (Fact | "children")[],
  { onLoss }: WriteOptions,
): Promise<void> {
  if (!onLoss) return;
  const gone = factsOf(stream.header).filter((fact) => !keeps.includes(fact));
  if (gone.includes("links"))
    onLoss(loss("links_dropped", {}, `${stream.header.links?.length ?? 0} link(s)`));
  const others = gone.filter((fact) => fact !== "links");
  if (others.length > 0) onLoss(loss("facts_dropped", {}, others.join(", ")));
  if (stream.records) onLoss(loss("records_dropped", {}, "the raw native records"));
  if (keeps.includes("children")) return;
  for await (const child of stream.children())
    onLoss(loss("subagent_dropped", {}, child.header.title ?? child.header.id));
}

function factsOf({ title, summary, project, model, metadata, links }: Header): Fact[] {
  const there: Record<Fact, boolean> = {
    title: Boolean(title),
    summary: Boolean(summary),
    project: project.path !== "",
    git: project.git !== undefined,
    config: model.config !== undefined,
    tokens: metadata.tokens !== undefined,
    cost: metadata.cost !== undefined,
    links: (links?.length ?? 0) > 0,
    source: true,
    times: true,
  };
  return (Object.keys(there) as Fact[]).filter((fact) => there[fact]);
}
