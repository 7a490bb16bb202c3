// Turns what a driver says into the protocol, whoever the agent is: init first and once, calls one after the other,
// every call with a result, every turn with usage and exactly one result, every line short and clean. It is told the
// time and does nothing by itself, so that what it says depends only on what it is told.
import type { DriverEvent, DriverFailure, Said } from "../adapters/driver.ts";
import type { AgentEvent, Bare, EventOf, PermissionMode } from "../session/events.ts";
import type { Ask } from "./approvals.ts";
import { Calls, type Ordered } from "./calls.ts";
import { type Who, withHint } from "./failures.ts";
import { beginning, fittingEvent, pieces, plain, sentence } from "./fit.ts";
import { newHalves } from "./halves.ts";
import { protocolCall } from "./tool-names.ts";
import {
  newTurn,
  noteCall,
  noteDenial,
  noteText,
  noteThinking,
  noteUsage,
  type Priced,
  replyOf,
  type Turn,
  usageOf,
} from "./turn.ts";
import {
  askedEvent,
  callWords,
  type Ending,
  missingResult,
  REASONS,
  subtypeOf,
  systemEvent,
} from "./wording.ts";

export interface ProtocolOptions {
  run: string;
  agent: string;
  provider: string;
  cwd: string;
  model: string;
  mode: PermissionMode;
  /** The session that is gone on with. */
  session: string;
  who: Who;
  priced?: Priced;
  now(): number;
  /** Keeps arguments that are too long for a line, and says where. */
  keepInput?(id: string, input: unknown): string | undefined;
}

type UseEvent = Extract<DriverEvent, { type: "tool_use" }> & { parent: string };
type ResultEvent = Extract<DriverEvent, { type: "tool_result" }>;
type TextEvent = Extract<Said, { type: "text" | "thinking" }>;
type Verdict = EventOf<"approval">["decision"];
type DecidedBy = EventOf<"approval">["by"];

/** Servers may bring any number of tools. */
const MOST_TOOLS = 500;
/** Why something was denied: a result lists many. */
const LONGEST_REASON = 200;
const LONGEST_NAME = 100;

export class Protocol {
  private seq = 0;
  private isInit = false;
  private sessionId: string;
  private model: string;
  private mode: PermissionMode;
  private readonly asks = new Map<string, Ask>();
  private turn: Turn | undefined;
  private lastTurn: Turn | undefined;
  private readonly calls = new Calls<UseEvent, ResultEvent>(missingResult);
  private events: AgentEvent[] = [];
  private readonly halves = newHalves();
  private readonly options: ProtocolOptions;

  constructor(options: ProtocolOptions) {
    this.options = options;
    this.sessionId = options.session;
    this.model = options.model;
    this.mode = options.mode;
  }

  get isTurn(): boolean {
    return this.turn !== undefined;
  }

  /** Whether it is known why the turn will not be what was asked for. */
  get isExplained(): boolean {
    return this.turn?.error !== undefined || this.turn?.isInterrupted === true;
  }

  /** Why the last turn failed. */
  get failure(): DriverFailure | undefined {
    return this.lastTurn?.error;
  }

  /** Whether a tool is at work, which may take long. */
  get isBusy(): boolean {
    return this.calls.isBusy;
  }

  get session(): string {
    return this.sessionId;
  }

  /** A prompt goes out: a turn begins. */
  begin(prompt: string): AgentEvent[] {
    this.current(prompt);
    return this.taken();
  }

  /** What the driver says, except what the run decides. */
  say(event: Said): AgentEvent[] {
    this.hear(event);
    return this.taken();
  }

  asked(event: Ask, timeoutMs: number): AgentEvent[] {
    if (this.asks.has(event.id)) return [];
    this.current();
    this.asks.set(event.id, event);
    this.emit(askedEvent(event, timeoutMs, this.options.keepInput));
    return this.taken();
  }

  decided(id: string, decision: Verdict, by: DecidedBy, message?: string): AgentEvent[] {
    this.decide(id, decision, by, message);
    return this.taken();
  }

  /** What was denied without that anybody was asked; between turns, or once the turn has its result, it is nobody's. */
  denied({ tool_use_id, name, call }: Ask, reason: string): void {
    if (!this.turn) return;
    noteDenial(this.turn, {
      ...(tool_use_id !== undefined && { tool_use_id }),
      name: protocolCall(name, call).name,
      reason: beginning(reason, LONGEST_REASON).text,
    });
  }

  interrupt(): AgentEvent[] {
    this.current().isInterrupted = true;
    this.emit({ type: "interrupt" });
    return this.taken();
  }

  modeIs(mode: PermissionMode): AgentEvent[] {
    this.mode = mode;
    // Otherwise `init` says it.
    if (this.isInit) this.put({ type: "system", subtype: "permission_mode", permission_mode: mode });
    return this.taken();
  }

  /** Ends the turn, if one is under way; a failure is a turn of its own. */
  finish(ending: Ending, failure?: DriverFailure): AgentEvent[] {
    if (failure) this.fail(failure);
    if (this.turn) this.end(ending);
    return this.taken();
  }

  private taken(): AgentEvent[] {
    const { events } = this;
    this.events = [];
    return events;
  }

  private current(prompt = ""): Turn {
    this.turn ??= newTurn(prompt, this.options.now());
    this.lastTurn = this.turn;
    return this.turn;
  }

  private emit(event: Bare): void {
    if (!this.isInit) this.init({});
    // Who acts for a call, a subagent, is told of after it, whatever that call waits for.
    if ("parent_tool_use_id" in event) this.ordered(this.calls.named(event.parent_tool_use_id));
    this.put(event);
  }

  private put(event: Bare): void {
    const timestamp = new Date(this.options.now()).toISOString();
    this.events.push({ ...fittingEvent(event), seq: ++this.seq, timestamp } as AgentEvent);
  }

  private init(facts: Omit<Extract<DriverEvent, { type: "init" }>, "type">): void {
    const [previous, model] = [this.sessionId, this.model];
    this.sessionId = facts.session_id ?? previous;
    this.model = facts.model ?? model;
    if (!this.isInit) {
      this.introduce(facts);
      return;
    }
    if (this.sessionId !== previous)
      this.put({ type: "system", subtype: "session_id", session_id: this.sessionId, previous });
    if (this.model !== model)
      this.put({ type: "system", subtype: "model", model: this.model, previous: model });
  }

  private introduce({ tools, version }: { tools?: string[]; version?: string }): void {
    this.isInit = true;
    const { run, agent, provider, cwd } = this.options;
    this.put({
      type: "system",
      subtype: "init",
      run,
      agent,
      provider,
      session_id: this.sessionId,
      model: this.model,
      cwd,
      permission_mode: this.mode,
      ...(tools && { tools: tools.slice(0, MOST_TOOLS).map((name) => name.slice(0, LONGEST_NAME)) }),
      ...(version !== undefined && { version }),
    });
  }

  private hear(event: Said): void {
    switch (event.type) {
      case "begin":
        this.current();
        break;
      case "init":
        this.init(event);
        break;
      case "text":
      case "thinking":
        this.tell({ ...event, text: this.halves.whole(event) });
        break;
      case "tool_use":
        this.letGo((one) => one.parent_tool_use_id === event.parent_tool_use_id);
        this.current().isAsked = true;
        noteCall(this.current(), event.input, event.parent_tool_use_id === undefined);
        this.ordered(this.calls.use({ ...event, parent: event.parent_tool_use_id ?? "" }));
        break;
      case "tool_result":
        this.ordered(this.calls.result(event.tool_use_id, event));
        break;
      case "usage":
        // What comes after a turn belongs to none.
        if (this.turn) noteUsage(this.turn, event);
        break;
      case "retry":
        this.current().isAsked = true;
        this.emit({ ...event, error: withHint(event.error, this.options.who) });
        break;
      case "error": {
        const { type: _, ...failure } = event;
        this.fail(failure);
        break;
      }
      case "result":
        if (this.turn) this.end(event);
        break;
      case "raw":
        this.raw(event.text);
        break;
      case "system":
        this.emit(systemEvent(event, this.options.who));
        break;
    }
  }

  private tell(event: TextEvent, isRest = false): void {
    const { type, text, message, parent_tool_use_id } = event;
    const list = pieces(text).filter((piece) => piece !== "");
    if (list.length === 0) return;
    const turn = this.current();
    turn.isAsked = true;
    this.calls.spoken(parent_tool_use_id ?? "");
    if (type === "thinking") noteThinking(turn, text);
    else if (parent_tool_use_id === undefined) noteText(turn, plain(text), message, isRest);
    for (const piece of list)
      this.emit({
        type,
        text: piece,
        ...(message !== undefined && { message }),
        ...(parent_tool_use_id !== undefined && { parent_tool_use_id }),
      });
  }

  /** What waited for its other half in vain. */
  private letGo(isOver: (event: TextEvent) => boolean): void {
    for (const rest of this.halves.letGo(isOver)) this.tell(rest, true);
  }

  private raw(text: string): void {
    const { text: shown, isCut } = beginning(text);
    this.emit({ type: "raw", text: shown, ...(isCut && { truncated: true }) });
  }

  private ordered(list: Iterable<Ordered<UseEvent, ResultEvent>>): void {
    for (const one of list)
      if ("use" in one) this.use(one.use);
      else this.result(one.result);
  }

  private use({ id, name, input, call, parent }: UseEvent): void {
    this.emit({
      type: "tool_use",
      id,
      ...callWords({ name, input, call }, (input, which) => this.options.keepInput?.(`${id}${which}`, input)),
      ...(parent !== "" && { parent_tool_use_id: parent }),
    });
  }

  private result({ tool_use_id, content, is_error, parent_tool_use_id }: ResultEvent): void {
    const parts = pieces(content);
    for (const [index, part] of parts.entries())
      this.emit({
        type: "tool_result",
        tool_use_id,
        content: part,
        is_error,
        ...(parts.length > 1 && { part: index + 1, last: index === parts.length - 1 }),
        ...(parent_tool_use_id !== undefined && { parent_tool_use_id }),
      });
  }

  private fail(failure: DriverFailure): void {
    const turn = this.current();
    const whole = withHint(failure, this.options.who);
    const isSame = turn.error?.code === whole.code && turn.error.message === whole.message;
    turn.error = whole;
    turn.isAsked ||= whole.status !== undefined;
    if (!isSame) this.emit({ type: "error", ...whole, provider: this.options.provider });
  }

  private end(ending: Ending): void {
    const turn = this.current();
    this.letGo(() => true);
    for (const { content } of this.close()) this.raw(content);
    for (const id of [...this.asks.keys()]) this.decide(id, "deny", "agent");
    const subtype = subtypeOf(turn, ending);
    if (subtype === "error" && !turn.error)
      this.fail({
        code: "failed",
        message: ending.text || "The agent says that the turn failed, but not why.",
      });
    const usage = usageOf(turn, this.model, this.options.priced);
    this.emit(usage);
    this.emit(this.resultOf(turn, ending, subtype, usage));
    this.emit({ type: "message_stop" });
    this.turn = undefined;
  }

  /** Every call gets a result; what is left are results that no call ever came for. */
  private close(): ResultEvent[] {
    const closing = this.calls.close();
    for (;;) {
      const next = closing.next();
      if (next.done) return next.value;
      this.ordered([next.value]);
    }
  }

  private resultOf(
    turn: Turn,
    { text, stop_reason }: Ending,
    subtype: EventOf<"result">["subtype"],
    { type: _, model: __, total_cost_usd, cost_computed, ...tokens }: ReturnType<typeof usageOf>,
  ): Bare {
    return {
      type: "result",
      subtype,
      is_error: subtype !== "success",
      ...replyOf(turn, text),
      session_id: this.sessionId,
      duration_ms: Math.max(0, Math.round(this.options.now() - turn.startedAt)),
      usage: tokens,
      ...(total_cost_usd !== undefined && { total_cost_usd }),
      ...(cost_computed && { cost_computed }),
      ...(stop_reason !== undefined && { stop_reason: sentence(stop_reason) }),
      permission_denials: turn.denials,
      ...(subtype === "error" && turn.error && { error: turn.error }),
    };
  }

  private decide(id: string, decision: Verdict, by: DecidedBy, message?: string): void {
    const event = this.asks.get(id);
    if (!event) return;
    this.asks.delete(id);
    this.emit({
      type: "approval",
      id,
      decision,
      by,
      ...(message !== undefined && { message: sentence(message) }),
    });
    if (decision === "deny" && by !== "agent") this.denied(event, message ?? REASONS[by]);
  }
}
