// What happened in a live run, in lines that are the same whenever the same happens: kinds, names, codes and ends, what
// was called and asked, but no ids, times, nor how many pieces a text had or how often an agent asked again. What a
// subagent does stands below its call, because it comes in between whatever else is said.
import type { AgentEvent, EventOf } from "../../src/session/events.ts";

/** Lines, and below that of a call what was asked because of it and what its subagent did. */
type Outline = (string | Outline)[];

export function outlineOf(events: readonly AgentEvent[]): string[] {
  const own: Outline = [];
  const below = new Map<string, Outline>();
  const linesOf = (id: string | undefined) => (id === undefined ? own : remembered(below, id));
  /** Where it was asked. */
  const asked = new Map<string, Outline>();
  let isStopping = false;
  for (const event of events) {
    if (event.type === "interrupt") isStopping = true;
    if (event.type === "result") isStopping = false;
    // How much is still said is a matter of luck.
    if (isStopping && ACCIDENTAL.has(event.type)) continue;
    const line = lineOf(event, cwdOf(events));
    const lines = linesFor(event, linesOf, asked);
    if (line === undefined || (REPEATED.has(event.type) && line === lines.at(-1))) continue;
    lines.push(line);
    if (event.type === "tool_use") lines.push(linesOf(event.id));
  }
  for (const lines of below.values())
    if (
      lines.length > 0 &&
      !own.includes(lines) &&
      ![...below.values()].some((other) => other.includes(lines))
    )
      own.push("of a call that was not told", lines);
  return flat(own, "");
}

function linesFor(
  event: AgentEvent,
  linesOf: (id: string | undefined) => Outline,
  asked: Map<string, Outline>,
): Outline {
  if (event.type === "approval") return asked.get(event.id) ?? linesOf(undefined);
  if (event.type !== "approval_request") return linesOf(event.parent_tool_use_id);
  const lines = linesOf(event.tool_use_id ?? event.parent_tool_use_id);
  asked.set(event.id, lines);
  return lines;
}

function remembered(below: Map<string, Outline>, id: string): Outline {
  const lines = below.get(id) ?? [];
  below.set(id, lines);
  return lines;
}

const ACCIDENTAL = new Set<AgentEvent["type"]>(["text", "thinking", "raw"]);
/** In pieces, or again and again. */
const REPEATED = new Set<AgentEvent["type"]>(["text", "thinking", "raw", "retry"]);
const LONGEST = 60;

function flat(lines: Outline, before: string): string[] {
  return lines.flatMap((one) => (typeof one === "string" ? [before + one] : flat(one, `${before}  `)));
}

/** Undefined = it says nothing about what happened. */
function lineOf(event: AgentEvent, cwd: string): string | undefined {
  switch (event.type) {
    case "text":
    case "thinking":
    case "interrupt":
    case "raw":
      return event.type;
    case "tool_use":
      return `calls ${callOf(event, cwd)}`;
    case "tool_result":
      return event.part === undefined || event.last ? (event.is_error ? "failed" : "done") : undefined;
    case "approval":
      return `${event.decision} by ${event.by}`;
    case "approval_request":
      return event.questions
        ? `asks ${event.questions.map(({ question }) => question).join(" ")}`
        : `asks ${callOf(event, cwd)}`;
    case "system":
      return systemLine(event);
    case "retry":
      return `retry ${event.error.code}`;
    case "error":
      return `error ${event.code}`;
    case "result":
      return resultLine(event);
    default:
      return undefined;
  }
}

function systemLine(event: EventOf<"system">): string | undefined {
  switch (event.subtype) {
    case "init":
      return `init ${event.permission_mode}`;
    case "error":
      return `system error ${event.code}`;
    case "model":
      return `system model ${event.model}`;
    case "permission_mode":
      return `system permission_mode ${event.permission_mode}`;
    case "notice":
      // What an agent says of itself is about the machine too.
      return undefined;
    default:
      return `system ${event.subtype}`;
  }
}

function resultLine({ subtype, error, result, permission_denials, usage }: EventOf<"result">): string {
  const denied = permission_denials.map(({ name }) => name).join(" ");
  return [
    `result ${subtype}${error ? ` ${error.code}` : ""}`,
    ...(denied === "" ? [] : [`denied ${denied}`]),
    ...(usage.estimated ? ["tokens estimated"] : []),
    // What an agent said before it was interrupted is as long as it happened to be.
    ...(subtype === "success" ? [JSON.stringify(result.slice(0, LONGEST))] : []),
  ].join(", ");
}

const TOLD = ["command", "file_path", "pattern", "description", "url"];

/** The tool, and what it is to do where that is short. */
function callOf({ name, input }: { name: string; input: unknown }, cwd: string): string {
  const fields = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const told = TOLD.map((field) => fields[field]).find((one) => typeof one === "string") as
    | string
    | undefined;
  return told === undefined ? name : `${name} ${told.replaceAll(`${cwd}/`, "").slice(0, LONGEST)}`;
}

function cwdOf(events: readonly AgentEvent[]): string {
  const init = events.find((event) => event.type === "system" && event.subtype === "init");
  return init && "cwd" in init ? init.cwd : "";
}
