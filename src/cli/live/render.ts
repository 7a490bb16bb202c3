// A run as a person follows it: the reply as it is written, a line for each tool, and what goes on meanwhile.
import type { AgentEvent, EventOf } from "../../session/events.ts";
import type { Colors } from "../output.ts";
import { counted, cut, disclosed, dollars, duration, harmless } from "../text.ts";
import { isAgentGone } from "./outcome.ts";
import type { Page } from "./page.ts";

interface Call {
  name: string;
  words: string;
  at: number;
  isError: boolean;
  output: string;
}

/** Of an output with --verbose. */
const MOST_LINES = 20;
const MOST_OUTPUT = 20_000;

export interface Look {
  colors: Colors;
  width(): number;
  isVerbose: boolean;
  /** How a session is named to Baton, by the agent's own id. */
  nameOf(session: string): string;
}

export class Renderer {
  private readonly page: Page;
  private readonly look: Look;
  private readonly calls = new Map<string, Call>();
  /** Of the reply so far; undefined between two turns. */
  private said: { message: string | undefined } | undefined;

  constructor(page: Page, look: Look) {
    this.page = page;
    this.look = look;
  }

  async show(event: AgentEvent): Promise<void> {
    switch (event.type) {
      case "text":
        await this.text(event);
        break;
      case "thinking":
        await this.thinking(event);
        break;
      case "tool_use":
        this.used(event);
        break;
      case "tool_result":
        await this.answered(event);
        break;
      case "result":
        this.said = undefined;
        await this.page.rest();
        await this.page.line(this.look.colors.dim(summaryOf(event, this.look.nameOf(event.session_id))));
        break;
      default:
        await this.aside(event);
    }
  }

  /** What a subagent says is for its agent; what comes of it is told in the reply. */
  private async text({ text, message, parent_tool_use_id }: EventOf<"text">): Promise<void> {
    if (parent_tool_use_id !== undefined) return;
    if (this.said && this.said.message !== message) await this.page.paragraph();
    this.said = { message };
    await this.page.say(harmless(text));
    this.page.working("writing");
  }

  private async thinking(event: EventOf<"thinking">): Promise<void> {
    this.page.working("thinking");
    if (!this.look.isVerbose) return;
    const { message = "", parent_tool_use_id: parent = "" } = event;
    await this.page.think(`${message} ${parent}`, harmless(event.text), indented(event, ""));
  }

  private used({ id, name: given, input }: EventOf<"tool_use">): void {
    const [name, words] = [disclosed(given), wordsOf(input)];
    this.calls.set(id, { name, words, at: Date.now(), isError: false, output: "" });
    this.page.working(`${name} ${words}`);
  }

  private async answered(event: EventOf<"tool_result">): Promise<void> {
    const call = this.calls.get(event.tool_use_id);
    if (!call) return;
    call.isError ||= event.is_error;
    if (call.output.length < MOST_OUTPUT) call.output += event.content;
    if (event.part !== undefined && !event.last) return;
    this.calls.delete(event.tool_use_id);
    const { colors } = this.look;
    const mark = call.isError ? colors.red("✗") : colors.green("✓");
    const took = duration(Date.now() - call.at);
    const words = cut(call.words, this.look.width() - call.name.length - took.length - 10);
    await this.page.line(indented(event, `${mark} ${call.name} ${colors.dim(`${words} · ${took}`)}`));
    const output = this.outputOf(call);
    if (output !== "") await this.page.line(colors.dim(output));
    this.page.working("waiting for the model");
  }

  /** Folded: of a failure the last line, of all else nothing. */
  private outputOf({ output, isError }: Call): string {
    const lines = harmless(output).trimEnd().split("\n");
    const last = lines.at(-1) ?? "";
    if (last === "") return "";
    if (!this.look.isVerbose) return isError ? `    ${cut(last, this.look.width() - 5)}` : "";
    const more = lines.length > MOST_LINES ? [`… ${counted(lines.length - MOST_LINES, "more line")}`] : [];
    return [...lines.slice(0, MOST_LINES), ...more].map((one) => `    ${one}`).join("\n");
  }

  private async aside(event: AgentEvent): Promise<void> {
    const { colors, isVerbose } = this.look;
    const words = asideWords(event, colors) ?? (isVerbose ? detailWords(event) : undefined);
    if (words !== undefined) await this.page.line(words);
  }
}

function indented({ parent_tool_use_id }: AgentEvent, text: string): string {
  return parent_tool_use_id === undefined ? text : `  ${text}`;
}

/** What everybody wants to know. */
function asideWords(event: AgentEvent, colors: Colors): string | undefined {
  switch (event.type) {
    case "error":
      return failureWords(event, colors);
    case "retry":
      return colors.yellow(retryWords(event));
    case "interrupt":
      return colors.yellow("interrupted");
    case "approval":
      return event.by === "user" ? undefined : colors.yellow(approvalWords(event));
    case "system":
      return systemWords(event, colors);
    default:
      return undefined;
  }
}

function failureWords({ message, hint }: { message: string; hint: string }, colors: Colors): string {
  return `${colors.red("error:")} ${harmless(message)}\n${colors.dim(harmless(hint))}`;
}

function systemWords(event: EventOf<"system">, colors: Colors): string | undefined {
  switch (event.subtype) {
    case "compact_boundary":
      return colors.yellow("the conversation was compacted");
    case "error":
      return isAgentGone(event)
        ? failureWords(event, colors)
        : `${colors.yellow("warning:")} ${harmless(event.message)}`;
    case "model":
      return colors.dim(`model: ${harmless(event.model)}`);
    case "permission_mode":
      return colors.dim(`permission mode: ${event.permission_mode}`);
    default:
      return undefined;
  }
}

function detailWords(event: AgentEvent): string | undefined {
  if (event.type === "raw") return harmless(event.text);
  if (event.type !== "system") return undefined;
  if (event.subtype === "notice") return harmless(event.message);
  if (event.subtype === "init")
    return harmless(
      [`session ${event.session_id || "not known yet"}`, event.model].filter(Boolean).join(" · "),
    );
  return event.subtype === "session_id" ? harmless(`session ${event.session_id}`) : undefined;
}

function approvalWords({ decision, message, by }: EventOf<"approval">): string {
  const verdict = decision === "deny" ? "denied" : "allowed";
  return `${verdict}: ${harmless(message ?? (by === "agent" ? "the agent does not wait any more" : by))}`;
}

const TOLD = ["command", "file_path", "pattern", "path", "url", "query", "description", "prompt"] as const;

/** What a call is about, in one line. */
function wordsOf(input: Readonly<Record<string, unknown>>): string {
  const told = TOLD.map((name) => input[name]).find((value) => typeof value === "string" && value !== "");
  return disclosed(typeof told === "string" ? told : JSON.stringify(input)).replace(/\s+/g, " ");
}

function retryWords({ attempt, max_attempts, delay_ms, error }: EventOf<"retry">): string {
  const of = max_attempts === undefined ? "" : ` of ${max_attempts}`;
  const wait = delay_ms === undefined ? "" : ` in ${duration(delay_ms)}`;
  return `retry ${attempt}${of}${wait}: ${harmless(error.message)}`;
}

function summaryOf(event: EventOf<"result">, session: string): string {
  const { subtype, duration_ms, usage, total_cost_usd, cost_computed } = event;
  const about = usage.estimated ? "about " : "";
  const aboutCost = usage.estimated || cost_computed ? "about " : "";
  const read =
    usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
  const cost = total_cost_usd === undefined ? [] : [`${aboutCost}${dollars(total_cost_usd)}`];
  const tokens = `${about}${counted(read, "token")} in, ${usage.output_tokens} out`;
  const how = subtype === "success" ? "done" : subtype === "error" ? "failed" : subtype;
  return [
    `${how} in ${duration(duration_ms)}`,
    tokens,
    ...cost,
    harmless(`session ${session || "unknown"}`),
  ].join(" · ");
}
