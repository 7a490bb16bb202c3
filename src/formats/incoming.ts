// Builds a timeline from the messages of an API history: ids from their place, calls joined with their results,
// everything of one model message under one turn.
import { type Loss, loss } from "../session/losses.ts";
import { TOOLS } from "../session/schema.ts";
import type {
  AssistantEntry,
  Entry,
  Part,
  SystemEntry,
  Tool,
  ToolCall,
  ToolResult,
} from "../session/session.ts";
import { isObject, type Json } from "./check.ts";
import { contentOf, replyOf } from "./parts.ts";

export type Timeline = ReturnType<typeof newTimeline>;

/** What more an entry may say. */
type More<E> = Partial<Omit<E, "id" | "type" | "turn">>;

/** `time` is given to entries that have none. */
export function newTimeline(time: string) {
  const entries: Entry[] = [];
  const losses: Loss[] = [];
  const calls = newCalls();
  const ids = new Set<string>();
  const free = (id: string): string => {
    let made = id;
    for (let at = 2; ids.has(made); at++) made = `${id}#${at}`;
    ids.add(made);
    return made;
  };
  return {
    entries,
    losses,
    system(id: string, content: string, more: More<SystemEntry> = {}): void {
      entries.push({ timestamp: time, ...more, id: free(id), type: "system", content } as Entry);
    },
    user(id: string, parts: readonly Part[], more: More<Entry> = {}): void {
      entries.push({ timestamp: time, ...contentOf(parts), ...more, id: free(id), type: "user" } as Entry);
    },
    reply(id: string, turn: string, parts: readonly Part[], more: More<AssistantEntry> = {}): void {
      if (parts.length === 0) return;
      const own = { id: free(id), type: "assistant" as const, turn };
      entries.push({ timestamp: time, ...replyOf(parts), ...more, ...own });
    },
    call(id: string, turn: string, name: string, input: unknown, more: More<ToolCall> = {}): void {
      const own = { id: free(id || "call"), type: "tool_call" as const, turn };
      calls.add(id, own.id, turn);
      const renamed = own.id === id ? {} : { originalId: id };
      entries.push({ timestamp: time, ...callOf(name, input), ...renamed, ...more, ...own });
    },
    result(
      id: string,
      callId: string,
      parts: readonly Part[],
      success: boolean,
      more: More<ToolResult> = {},
    ): void {
      const { content, ...rest } = contentOf(parts);
      const call = calls.answered(callId);
      const base = { id: free(id), type: "tool_result" as const, callId: call ?? callId };
      const own = { ...base, success, output: content };
      if (call === undefined)
        losses.push(loss("result_orphaned", { entry: own.id }, `no call with the id ${callId}`));
      entries.push({ timestamp: time, ...rest, ...more, ...own });
    },
  };
}

/**
 * The calls so far by the ids that they have in the history. Many servers count anew in every message, so a result
 * belongs to the nearest message before it with an open call of its id, and there to the first one.
 */
function newCalls() {
  const byId = new Map<string, { entry: string; turn: string; isOpen: boolean }[]>();
  return {
    add(id: string, entry: string, turn: string): void {
      const known = byId.get(id) ?? [];
      byId.set(id, known);
      known.push({ entry, turn, isOpen: true });
    },
    /** The entry of the call that a result with this id answers; a second result belongs to the last one. */
    answered(id: string): string | undefined {
      const known = byId.get(id) ?? [];
      const turn = known.findLast(({ isOpen }) => isOpen)?.turn;
      const call = known.find((one) => one.isOpen && one.turn === turn) ?? known.at(-1);
      if (call) call.isOpen = false;
      return call?.entry;
    },
  };
}

/** A call by the name it has in the history: one of the universal tools, or somebody's own. */
export function callOf(
  name: string,
  given: unknown,
): Pick<ToolCall, "tool" | "input" | "originalTool" | "originalInput"> {
  const input = isObject(given) ? given : undefined;
  if (input && isUniversal(name, input)) return { tool: name as Tool, input };
  return { tool: "unknown", input: input ?? { input: given }, originalTool: name, originalInput: given };
}

/** The argument that each universal tool cannot be without. */
const NEEDS: Readonly<Partial<Record<Tool, (input: Json) => boolean>>> = {
  read: ({ path }) => typeof path === "string",
  write: ({ path, content }) => typeof path === "string" && typeof content === "string",
  edit: ({ edits, changes }) => Array.isArray(edits) || Array.isArray(changes),
  bash: ({ command }) => typeof command === "string",
  search: ({ pattern }) => typeof pattern === "string",
  glob: ({ pattern }) => typeof pattern === "string",
  list: ({ path }) => typeof path === "string",
  ask: ({ questions }) => questions !== undefined,
  task: ({ prompt }) => typeof prompt === "string",
  web_fetch: ({ url }) => typeof url === "string",
  web_search: ({ query }) => typeof query === "string",
  todo: ({ items }) => Array.isArray(items),
};

/** Whether these are the arguments of a universal tool of that name. */
export function isUniversal(name: string, input: Json): boolean {
  const tool = TOOLS.find((one) => one === name);
  return tool !== undefined && (NEEDS[tool]?.(input) ?? false);
}

/** Arguments that an API keeps as JSON in a string; free text stays what it is. */
export function parsedArguments(value: unknown): unknown {
  if (typeof value !== "string") return value ?? {};
  try {
    return JSON.parse(value);
  } catch {
    // A model may write anything there; what it wrote is what it said.
    return value;
  }
}

/** The text of such arguments, where parsing and writing them again would not give the very same. */
export function asWritten(value: unknown): Pick<ToolCall, "originalInput"> {
  const given = parsedArguments(value);
  return isObject(given) && typeof value === "string" && JSON.stringify(given) !== value
    ? { originalInput: value }
    : {};
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function filled(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
