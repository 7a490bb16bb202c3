// A live run: one agent, one process, one stream of events, and the ways to steer it. Whatever the agent does, every
// turn ends with one result: this is where hanging, dying, interrupting and unanswered questions come to an end.
import { randomUUID } from "node:crypto";
import type {
  Asking,
  Decision,
  Driver,
  DriverFailure,
  Input,
  Output,
  RunRequest,
} from "../adapters/driver.ts";
import type { AgentEvent, PermissionMode } from "../session/events.ts";
import { type Connection, connect } from "./connection.ts";
import type { Who } from "./failures.ts";
import { Protocol, type ProtocolOptions } from "./protocol.ts";
import { newQueue } from "./queue.ts";
import { changesSomething } from "./tool-names.ts";

export interface RunOptions {
  /** Ours, where somebody has given it one already. */
  id?: string;
  agent: string;
  /** Whose badge the session carries. */
  provider: string;
  // biome-ignore lint/suspicious/noExplicitAny: each driver has a state of its own, opaque to everybody else.
  driver: Driver<any>;
  /** The program that stands for the first word of the driver's command; absent = as the driver says. */
  program?: string;
  who: Who;
  request: Omit<RunRequest, "secret">;
  /** Whether somebody answers what the agent asks. */
  hasApprover: boolean;
  env: NodeJS.ProcessEnv;
  priced?: ProtocolOptions["priced"];
  keepInput?: ProtocolOptions["keepInput"];
  approvalTimeoutMs?: number;
  /** How long an agent may say nothing in the middle of a turn; while a tool is at work, ten times as long. */
  silenceMs?: number;
  /** What the agent complains about. */
  onComplaint?(line: string): void;
  /** Everything that the driver is told, for recordings. */
  onInput?(input: Input): void;
}

export interface LiveRun {
  readonly id: string;
  /** To be taken by one reader; ends when the run is over. */
  readonly events: AsyncIterable<AgentEvent>;
  /** Waits for its turn where one is under way. */
  prompt(text: string): void;
  interrupt(): void;
  /** False = nobody waits for that. */
  decide(id: string, decision: Decision): boolean;
  /** Both are answered by an event. */
  setModel(model: string): void;
  setMode(mode: PermissionMode): void;
  /** No more prompts: the run is over once those that were given are answered. */
  finish(): void;
  /** Ends it now. */
  end(): void;
}

const APPROVAL_MS = 5 * 60_000;
const SILENCE_MS = 5 * 60_000;
const BUSY_SILENCE = 10;
/** An interrupt has its result by then, whatever the agent does. */
const INTERRUPT_MS = 400;
/** An agent that has not stopped by then is ended. */
const STOPPING_MS = 5000;
/** An agent that has nothing more to do ends by itself, or is ended. */
const LEAVING_MS = 3000;

export function startRun(options: RunOptions): LiveRun {
  return new Live(options);
}

class Live implements LiveRun {
  readonly id: string;
  readonly events: AsyncIterable<AgentEvent>;
  private readonly options: RunOptions;
  private readonly queue;
  private readonly protocol: Protocol;
  private readonly connection: Connection;
  private readonly state: unknown;
  private readonly prompts: string[] = [];
  private readonly asks = new Map<string, { event: Ask; timer: NodeJS.Timeout }>();
  private mode: PermissionMode;
  private isReady = false;
  private isOver = false;
  private isFinishing = false;
  /** The result was given before the agent has stopped: what it still says of the turn is nobody's business. */
  private isStopping = false;
  private interrupted: NodeJS.Timeout | undefined;
  private silence: NodeJS.Timeout | undefined;
  private leaving: NodeJS.Timeout | undefined;
  /** Why we ended it. */
  private ending: DriverFailure | undefined;

  constructor(options: RunOptions) {
    const { driver, request } = options;
    this.options = options;
    this.id = options.id ?? randomUUID();
    this.mode = request.mode;
    this.protocol = new Protocol({
      run: this.id,
      agent: options.agent,
      provider: options.provider,
      cwd: request.cwd,
      model: request.model ?? "",
      mode: request.mode,
      session: request.session ?? "",
      who: options.who,
      now: Date.now,
      ...(options.priced && { priced: options.priced }),
      ...(options.keepInput && { keepInput: options.keepInput }),
    });
    const whole = { ...request, secret: randomUUID() };
    const { argv, env, transport } = driver.launch(whole);
    this.state = driver.initial(whole);
    this.queue = newQueue<AgentEvent>({
      onFull: () => this.connection.pause(),
      onRoom: () => this.connection.resume(),
    });
    this.events = this.queue;
    this.connection = connect({
      argv: [options.program ?? argv[0] ?? "", ...argv.slice(1)],
      cwd: request.cwd,
      env: { ...options.env, ...env },
      mark: this.id,
      transport,
      onInput: (input) => this.take(input),
      onComplaint: (line) => {
        this.watch();
        options.onComplaint?.(line);
      },
      onDeaf: () => this.deaf(),
    });
    this.watch();
  }

  prompt(text: string): void {
    this.prompts.push(text);
    this.next();
  }

  interrupt(): void {
    if (!this.protocol.isTurn || this.interrupted || this.isOver) return;
    this.queue.push(this.protocol.interrupt());
    for (const id of [...this.asks.keys()]) this.settle(id, { allow: false }, "user", "interrupted");
    this.take({ type: "interrupt" });
    if (!this.protocol.isTurn) return;
    this.interrupted = setTimeout(() => {
      this.isStopping = true;
      this.queue.push(this.protocol.finish({ interrupted: true }));
      this.interrupted = setTimeout(() => this.end(), STOPPING_MS);
      this.interrupted.unref();
    }, INTERRUPT_MS);
  }

  decide(id: string, decision: Decision): boolean {
    if (!this.asks.has(id)) return false;
    this.settle(id, decision, "user", decision.message);
    return true;
  }

  setModel(model: string): void {
    if (this.options.driver.changes.model) this.take({ type: "set_model", model });
    else this.unsupported("another model");
  }

  setMode(mode: PermissionMode): void {
    const { changes } = this.options.driver;
    // What we decide ourselves changes at once; how much an agent asks is up to the agent.
    const isOurs = asksAll(mode) === asksAll(this.mode);
    if (!changes.mode && !isOurs) {
      this.unsupported(`permission mode ${mode}`);
      return;
    }
    this.mode = mode;
    if (changes.mode) this.take({ type: "set_mode", mode });
    this.queue.push(this.protocol.modeIs(mode));
  }

  finish(): void {
    this.isFinishing = true;
    this.next();
  }

  end(): void {
    if (!this.isOver) this.connection.end();
  }

  private unsupported(what: string): void {
    const message = `${this.options.who.label} takes no ${what} while it runs.`;
    this.queue.push(this.protocol.say({ type: "system", subtype: "error", code: "unsupported", message }));
  }

  /** The next prompt goes out once the agent has answered the last. */
  private next(): void {
    if (this.isOver) {
      this.refuseRest();
      return;
    }
    if (!this.isReady || this.protocol.isTurn || this.isStopping) return;
    const text = this.prompts.shift();
    if (text !== undefined) {
      this.queue.push(this.protocol.begin(text));
      this.take({ type: "prompt", text });
    } else if (this.isFinishing && !this.leaving) {
      this.connection.closeInput();
      this.leaving = setTimeout(() => this.end(), LEAVING_MS);
    }
  }

  /** Prompts that nobody is there for any more. */
  private refuseRest(): void {
    for (const text of this.prompts.splice(0)) {
      this.queue.push(this.protocol.begin(text));
      this.queue.push(this.protocol.finish({}, this.ending ?? GONE));
    }
  }

  private take(input: Input): void {
    if (this.isOver) return;
    this.options.onInput?.(input);
    for (const output of this.options.driver.step(this.state, input)) this.act(output);
    if (input.type === "end") this.over(input);
    else {
      this.watch();
      this.next();
    }
  }

  private act(output: Output): void {
    switch (output.type) {
      case "event":
        this.hear(output.event);
        break;
      case "send":
      case "request":
        this.connection.send(output);
        break;
      case "ready":
        this.isReady = true;
        break;
      case "stop":
        this.connection.end();
        break;
      default:
        output satisfies never;
    }
  }

  private hear(event: Extract<Output, { type: "event" }>["event"]): void {
    if (event.type === "ask") this.ask(event);
    else if (event.type === "unask") this.withdraw(event.id);
    else if (this.isStopping) this.stopping(event.type === "result");
    else {
      this.queue.push(this.protocol.say(event));
      if (event.type === "result") this.turnOver();
    }
  }

  private turnOver(): void {
    clearTimeout(this.interrupted);
    this.interrupted = undefined;
    for (const id of [...this.asks.keys()]) this.withdraw(id);
  }

  private stopping(isResult: boolean): void {
    if (!isResult) return;
    this.isStopping = false;
    this.turnOver();
  }

  private ask(event: Ask): void {
    const verdict = this.verdictOf(event);
    if (verdict !== "ask") {
      if (!verdict.allow) this.protocol.denied(event, verdict.message ?? "");
      this.take({ type: "decide", id: event.id, decision: verdict });
      return;
    }
    const timeoutMs = this.options.approvalTimeoutMs ?? APPROVAL_MS;
    const timer = setTimeout(() => this.settle(event.id, { allow: false }, "timeout", UNANSWERED), timeoutMs);
    this.asks.set(event.id, { event, timer });
    this.queue.push(this.protocol.asked(event, timeoutMs));
  }

  /** What the permission mode says by itself. */
  private verdictOf({ questions, call }: Ask): Decision | "ask" {
    const { hasApprover } = this.options;
    if (this.isStopping || this.interrupted) return { allow: false, message: "The user has interrupted." };
    if (questions) return hasApprover && this.mode !== "deny" ? "ask" : { allow: false, message: NOBODY };
    switch (this.mode) {
      case "auto":
        return { allow: true };
      case "deny":
        return changesSomething(call) ? { allow: false, message: DENIED } : { allow: true };
      case "default":
      case "interactive":
        return hasApprover ? "ask" : { allow: false, message: NOBODY };
    }
  }

  private settle(id: string, decision: Decision, by: "user" | "timeout", message?: string): void {
    const asked = this.asks.get(id);
    if (!asked) return;
    clearTimeout(asked.timer);
    this.asks.delete(id);
    const verdict = decision.allow ? (decision.always ? "allow_session" : "allow") : "deny";
    this.queue.push(this.protocol.decided(id, verdict, by, message));
    this.take({ type: "decide", id, decision: { ...decision, ...(message !== undefined && { message }) } });
  }

  /** The agent does not wait for it any more. */
  private withdraw(id: string): void {
    const asked = this.asks.get(id);
    if (!asked) return;
    clearTimeout(asked.timer);
    this.asks.delete(id);
    this.queue.push(this.protocol.decided(id, "deny", "agent"));
  }

  /** Starts to wait anew: the agent, or whoever it asks, gave a sign of life. */
  private watch(): void {
    clearTimeout(this.silence);
    if (this.isOver || this.asks.size > 0) return;
    const isIdle = this.isReady && !this.protocol.isTurn && !this.isStopping;
    if (isIdle) return;
    const silence = this.options.silenceMs ?? SILENCE_MS;
    const most = this.protocol.isBusy ? silence * BUSY_SILENCE : silence;
    this.silence = setTimeout(() => this.hung(most), most);
  }

  private hung(afterMs: number): void {
    const message = `${this.options.who.label} has said nothing for ${Math.round(afterMs / 1000)} s.`;
    this.abandon({ code: "agent_hung", message });
  }

  private deaf(): void {
    if (this.isFinishing || this.isOver) return;
    this.abandon(
      { code: "input_closed", message: `${this.options.who.label} does not take its input any more.` },
      500,
    );
  }

  /** An agent that cannot be talked to is ended; what it says of why it ends comes first. */
  private abandon(failure: DriverFailure, patienceMs = 0): void {
    if (this.ending) return;
    this.ending = failure;
    setTimeout(() => this.end(), patienceMs);
  }

  private over(end: Extract<Input, { type: "end" }>): void {
    this.isOver = true;
    for (const timer of [this.silence, this.interrupted, this.leaving]) clearTimeout(timer);
    for (const id of [...this.asks.keys()]) this.withdraw(id);
    const why = this.protocol.isExplained ? undefined : this.whyOver(end);
    if (this.protocol.isTurn) this.queue.push(this.protocol.finish({ is_error: true }, why));
    this.ending ??= this.whyOver(end);
    this.refuseRest();
    this.queue.close();
  }

  private whyOver({ exitCode, signal, stderr }: Extract<Input, { type: "end" }>): DriverFailure {
    if (this.ending) return this.ending;
    const { label } = this.options.who;
    const words = stderr.trim().split("\n").at(-1) ?? "";
    const said = words === "" ? "" : ` It said: ${words}`;
    if (exitCode === 127 || exitCode === 126 || (exitCode === null && signal === null))
      return { code: "agent_broken", message: `${label} could not be started.${said}` };
    const killed = signal ?? (exitCode !== null && exitCode > 128 ? SIGNALS[exitCode - 128] : undefined);
    if (killed !== undefined)
      return { code: "agent_killed", message: `${label} was ended by ${killed}.${said}` };
    return {
      code: "agent_crashed",
      message: `${label} ended with status ${exitCode} in the middle of the turn.${said}`,
    };
  }
}

type Ask = Extract<Asking, { type: "ask" }>;

const SIGNALS: Readonly<Record<number, string>> = {
  1: "SIGHUP",
  2: "SIGINT",
  9: "SIGKILL",
  11: "SIGSEGV",
  15: "SIGTERM",
};
const NOBODY = "Nobody is there to allow it.";
const DENIED = "The user allows no changes in this run.";
const UNANSWERED = "Nobody answered in time.";
const GONE: DriverFailure = { code: "input_closed", message: "The agent is not there any more." };

/** In these modes an agent has to ask before every change. */
function asksAll(mode: PermissionMode): boolean {
  return mode === "interactive" || mode === "deny";
}
