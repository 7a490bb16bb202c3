// What an agent asks of its user: decided by the permission mode where that says enough, otherwise kept until somebody
// answers, and denied when nobody does in time.
import type { Asking, Decision } from "../adapters/driver.ts";
import type { PermissionMode } from "../session/events.ts";
import { changesSomething } from "./tool-names.ts";

export type Ask = Extract<Asking, { type: "ask" }>;

const NOBODY = "Nobody is there to allow it.";
const DENIED = "The user allows no changes in this run.";

/** What the mode says by itself. */
export function verdictOf(
  { questions, call }: Ask,
  mode: PermissionMode,
  hasApprover: boolean,
): Decision | "ask" {
  if (questions) return hasApprover && mode !== "deny" ? "ask" : { allow: false, message: NOBODY };
  switch (mode) {
    case "auto":
      return { allow: true };
    case "deny":
      return changesSomething(call) ? { allow: false, message: DENIED } : { allow: true };
    case "default":
    case "interactive":
      return hasApprover ? "ask" : { allow: false, message: NOBODY };
  }
}

/** In these modes an agent has to ask before every change. */
export function asksAll(mode: PermissionMode): boolean {
  return mode === "interactive" || mode === "deny";
}

export interface Pending {
  readonly size: number;
  add(event: Ask): void;
  /** Takes it out; undefined = nobody waits for that. */
  take(id: string): Ask | undefined;
  ids(): string[];
}

export function newPending(timeoutMs: number, onTimeout: (id: string) => void): Pending {
  const waiting = new Map<string, { event: Ask; timer: NodeJS.Timeout }>();
  return {
    get size() {
      return waiting.size;
    },
    add(event) {
      clearTimeout(waiting.get(event.id)?.timer);
      waiting.set(event.id, { event, timer: setTimeout(() => onTimeout(event.id), timeoutMs) });
    },
    take(id) {
      const found = waiting.get(id);
      clearTimeout(found?.timer);
      waiting.delete(id);
      return found?.event;
    },
    ids: () => [...waiting.keys()],
  };
}
