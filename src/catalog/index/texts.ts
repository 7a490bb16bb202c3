// What of an entry is found by searching: its texts, each with what it is.
import type { Entry } from "../../session/session.ts";
import { SCOPES, type Scope } from "../schema.ts";

export interface Text {
  /** Its number in SCOPES. */
  scope: number;
  text: string;
}

const NUMBERS = Object.fromEntries(SCOPES.map((scope, number) => [scope, number])) as Record<Scope, number>;

export function textsOf(entry: Entry): Text[] {
  // Nearly all texts are outputs.
  if (entry.type === "tool_result" && entry.error === undefined && entry.output !== "")
    return [{ scope: NUMBERS.tool_output, text: entry.output }];
  const found: Text[] = [];
  const add = (scope: Scope, text: string | undefined) => {
    if (text) found.push({ scope: NUMBERS[scope], text });
  };
  const isContext = entry.injected === true || entry.note === true;
  switch (entry.type) {
    case "user":
      add(isContext ? "context" : "prompt", entry.content);
      break;
    case "assistant":
      add("thinking", entry.thinking ?? thoughtIn(entry));
      add(isContext ? "context" : "reply", entry.content);
      break;
    case "tool_call":
      add("tool_input", inputText(entry));
      break;
    case "tool_result":
      add("tool_output", entry.output);
      if (entry.error !== undefined && !entry.output.includes(entry.error)) add("tool_output", entry.error);
      break;
    case "system":
      add("context", entry.content);
      break;
    case "compaction":
      add("context", entry.summary);
      for (const inner of entry.replacement ?? [])
        for (const { text } of textsOf(inner)) if (text !== entry.summary) add("context", text);
      break;
    // Baton's own words, which nobody said here.
    case "switch":
      break;
  }
  return found;
}

function thoughtIn({ parts }: Entry): string | undefined {
  const thoughts = parts?.flatMap((part) => (part.type === "thinking" && part.text ? [part.text] : []));
  return thoughts?.length ? thoughts.join("\n") : undefined;
}

type Call = Extract<Entry, { type: "tool_call" }>;

/** The arguments as the agent had them, without their names: a name is in every call of the tool. */
function inputText({ originalInput, input }: Call): string {
  // Text that is no JSON is a patch or a script; JSON was understood, and stands in `input`.
  if (typeof originalInput === "string" && !/^\s*[{[]/.test(originalInput)) return originalInput;
  const values: string[] = [];
  gather(typeof originalInput === "object" && originalInput !== null ? originalInput : input, values);
  return values.join("\n");
}

const DEEPEST = 200;

function gather(value: unknown, into: string[], depth = 0): void {
  if (typeof value === "string") into.push(value);
  else if (typeof value === "number") into.push(String(value));
  else if (typeof value === "object" && value !== null && depth < DEEPEST)
    for (const inner of Object.values(value)) gather(inner, into, depth + 1);
}

/** The universal and the agent's own name of a call's tool, a line each. */
export function toolOf({ tool, originalTool }: Call): string {
  return `${tool}\n${originalTool ?? tool}`;
}

/** The files that a call is about, a line each. */
export function filesOf({ input }: Call): string | undefined {
  const { path, changes } = input as { path?: unknown; changes?: unknown };
  const paths = new Set<string>();
  if (typeof path === "string") paths.add(path);
  if (Array.isArray(changes))
    for (const change of changes as { path?: unknown; to?: unknown }[])
      for (const one of [change?.path, change?.to]) if (typeof one === "string") paths.add(one);
  return paths.size > 0 ? [...paths].join("\n") : undefined;
}
