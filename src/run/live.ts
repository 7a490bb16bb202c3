// A live run: one agent, one process, one stream of events, and the ways to steer it. Whatever the agent does, every
// turn ends with one result: this is where hanging, dying, interrupting and unanswered questions come to an end.
import { randomUUID } from "node:crypto";
import type { Decision, DriverFailure, Input, Output, Said } from "../adapters/driver.ts";
import type { AgentEvent, FailureCode, PermissionMode } from "../session/events.ts";
import * as failures from "./agent-failures.ts";
import { type Approvals, asksAll, newApprovals } from "./approvals.ts";
import { type Connection, connect, NO_CONNECTION } from "./connection.ts";
import type { LiveRun, RunOptions } from "./contract.ts";
import { Protocol } from "./protocol.ts";
import { newQueue } from "./queue.ts";
import { newStopping, type Stopping } from "./stopping.ts";
import { WAIT_MS } from "./waits.ts";
import { newWatchdog, type Watchdog } from "./watchdog.ts";

export type { LiveRun, RunOptions };

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
  private readonly approvals: Approvals;
  private mode: PermissionMode;
  private isReady = false;
  private isOver = false;
  private isFinishing = false;
  /** We want it to end. */
  private isEnding = false;
  private isHeld = false;
  private isInterrupting = false;
  /** Whether the turn is the answer to a prompt: agents begin some by themselves. */
  private isPrompted = false;
  /** It says when the turn that it began is over. */
  private isAnnounced = false;
  /** The result was given before the agent has stopped: what it still says of the turn is nobody's business. */
  private isStopping = false;
  private readonly stopping: Stopping;
  private readonly watchdog: Watchdog;
  private leaving: NodeJS.Timeout | undefined;
  private deafness: NodeJS.Timeout | undefined;
  /** Why we ended it. */
  private ending: DriverFailure | undefined;

  constructor(options: RunOptions) {
    const { driver, request } = options;
    this.options = options;
    this.id = options.id ?? randomUUID();
    this.mode = request.mode;
    this.protocol = new Protocol({
      ...options,
      ...request,
      run: this.id,
      model: request.model ?? "",
      session: request.session ?? "",
      now: Date.now,
    });
    this.approvals = newApprovals({
      protocol: this.protocol,
      mode: request.mode,
      hasApprover: options.hasApprover,
      timeoutMs: options.approvalTimeoutMs ?? WAIT_MS.approval,
      tell: (events) => this.queue.push(events),
      take: (input) => this.take(input),
    });
    this.watchdog = newWatchdog({
      silenceMs: options.silenceMs,
      onHung: (afterMs) => this.abandon(failures.hung(this.label, afterMs)),
      onQuiet: () => this.unprompted(),
    });
    this.stopping = newStopping({
      onLate: () => {
        this.isStopping = true;
        this.queue.push(this.protocol.finish({ interrupted: true }));
      },
      onNever: () => this.neverStopped(),
    });
    const whole = { ...request, secret: randomUUID() };
    const { argv, env, transport } = driver.launch(whole);
    this.state = driver.initial(whole);
    this.queue = newQueue<AgentEvent>({
      onFull: () => this.hold(true),
      onRoom: () => this.hold(false),
    });
    this.events = this.queue;
    const { program } = options;
    if (program === null) {
      this.connection = NO_CONNECTION;
      queueMicrotask(() => this.missing());
      return;
    }
    this.connection = connect({
      argv: [program, ...argv.slice(1)],
      cwd: request.cwd,
      env: { ...options.env, ...env },
      mark: this.id,
      transport,
      onInput: (input) => this.hearInput(input),
      onComplaint: (line) => options.onComplaint?.(line),
      onDeaf: () => this.deaf(),
    });
    this.watch();
  }

  prompt(text: string): void {
    this.prompts.push(text);
    this.next();
  }

  interrupt(): void {
    if (this.isOver) return;
    if (!this.protocol.isTurn) {
      this.takeBack();
      return;
    }
    if (this.stopping.isAsked) return;
    this.queue.push(this.protocol.interrupt());
    // The next prompt must not take what is meant for this one.
    this.isInterrupting = true;
    this.approvals.settleAll({ allow: false }, "user", "interrupted");
    if (this.protocol.isTurn) this.take({ type: "interrupt" });
    this.isInterrupting = false;
    if (!this.protocol.isTurn) {
      this.next();
      return;
    }
    this.stopping.ask();
  }

  private neverStopped(): void {
    const failure = failures.neverStopped(this.label);
    this.queue.push(this.protocol.say({ type: "system", subtype: "error", ...failure }));
    this.abandon(failure);
  }

  decide(id: string, decision: Decision): boolean {
    return this.approvals.settle(id, decision, "user", decision.message);
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
    this.approvals.modeIs(mode);
    if (changes.mode) this.take({ type: "set_mode", mode });
    else this.modeIs(mode);
  }

  warn(code: FailureCode, message: string): void {
    this.queue.push(this.protocol.say({ type: "system", subtype: "error", code, message }));
  }

  unattended(): void {
    this.approvals.unattended();
  }

  finish(): void {
    this.isFinishing = true;
    this.next();
  }

  end(): void {
    this.isEnding = true;
    this.ending ??= failures.ended(this.label);
    if (!this.isOver) this.connection.end();
  }

  /** What the agent has taken up, or went back to. */
  private modeIs(mode: PermissionMode): void {
    this.mode = mode;
    this.approvals.modeIs(mode);
    this.queue.push(this.protocol.modeIs(mode));
  }

  /** A prompt that has not gone out yet, because the agent is still starting or stopping, never does. */
  private takeBack(): void {
    const text = this.prompts.shift();
    if (text === undefined) return;
    this.begin(text);
    this.queue.push([...this.protocol.interrupt(), ...this.protocol.finish({ interrupted: true })]);
    this.isPrompted = false;
    this.next();
  }

  private missing(): void {
    this.ending = failures.missing(this.label);
    this.over({ type: "end", exitCode: 127, signal: null, stderr: "" });
  }

  private unsupported(what: string): void {
    const { code, message } = failures.unsupported(this.label, what);
    this.warn(code, message);
  }

  /** The next prompt goes out once the agent has answered the last. */
  private next(): void {
    if (this.isOver) {
      this.refuseRest();
      return;
    }
    if (!this.isReady || this.protocol.isTurn || this.isStopping || this.isInterrupting) return;
    const text = this.prompts.shift();
    if (text !== undefined) {
      this.begin(text);
      this.take({ type: "prompt", text });
    } else if (this.isFinishing && !this.leaving) {
      this.isEnding = true;
      this.connection.closeInput();
      this.leave();
    }
  }

  /** Not in the middle of something that the agent has begun by itself. */
  private leave(): void {
    this.leaving = setTimeout(() => (this.protocol.isTurn ? this.leave() : this.end()), WAIT_MS.leaving);
  }

  /** Prompts that nobody is there for any more. */
  private refuseRest(): void {
    for (const text of this.prompts.splice(0)) {
      this.begin(text);
      this.queue.push(this.protocol.finish({}, this.ending ?? failures.GONE));
    }
  }

  private begin(text: string): void {
    this.isPrompted = true;
    this.options.onPrompt?.(text);
    this.queue.push(this.protocol.begin(text));
  }

  /** That an agent is there is no sign that it does anything. */
  private hearInput(input: Input): void {
    if (input.type !== "line" || !this.options.driver.isPulse?.(input.text)) this.take(input);
  }

  private take(input: Input): void {
    if (this.isOver) return;
    this.options.onInput?.(input);
    try {
      for (const output of this.options.driver.step(this.state, input)) this.act(output);
    } catch (error) {
      // A fault of ours must not cost the turn its result.
      this.abandon(failures.unhandled(this.label, error));
    }
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
        // Whoever still prompts it is told why.
        this.isReady = false;
        this.ending ??= this.protocol.failure;
        this.connection.end();
        break;
      default:
        output satisfies never;
    }
  }

  private hear(event: Extract<Output, { type: "event" }>["event"]): void {
    this.watchdog.heard(event);
    const isOfTurn = event.type !== "init" && event.type !== "system";
    if (event.type === "ask") this.approvals.ask(event, this.isStopping || this.stopping.isAsked);
    else if (event.type === "unask") this.approvals.withdraw(event.id);
    else if (event.type === "mode") this.modeIs(event.mode);
    else if (this.isStopping && isOfTurn) this.stopped(event.type === "result");
    else if (event.type === "error" && !this.isReady && !this.protocol.isTurn) this.neverReady(event);
    else {
      if (event.type === "begin" && !this.protocol.isTurn) this.isAnnounced = true;
      this.queue.push(this.protocol.say(event));
      if (event.type === "result") this.turnOver();
    }
  }

  private get label(): string {
    return this.options.who.label;
  }

  get isActive(): boolean {
    return this.protocol.isTurn || this.prompts.length > 0;
  }

  /** It fails before it took a prompt: that is the answer to the one that waits, or a warning where none does. */
  private neverReady({ type, ...failure }: Extract<Said, { type: "error" }>): void {
    this.ending = failure;
    const text = this.prompts.shift();
    if (text !== undefined) this.begin(text);
    const kind = text === undefined ? ({ type: "system", subtype: "error" } as const) : { type };
    this.queue.push(this.protocol.say({ ...kind, ...failure }));
  }

  private turnOver(): void {
    this.isPrompted = false;
    this.isAnnounced = false;
    this.stopping.over();
    this.approvals.withdrawAll();
  }

  private stopped(isResult: boolean): void {
    if (!isResult) return;
    this.isStopping = false;
    this.turnOver();
  }

  private watch(): void {
    const { isTurn, isBusy } = this.protocol;
    const isIdle = this.isReady && !isTurn && !this.isStopping;
    // Whoever waits for its user, or for a slow reader, does not hang.
    if (this.isOver || this.isHeld || this.approvals.size > 0 || isIdle) {
      this.watchdog.rest();
      return;
    }
    const isOwn = isTurn && !this.isPrompted && !this.isAnnounced;
    this.watchdog.wait({ isOpenEnded: isOwn && !this.isStopping && !isBusy, isBusy });
  }

  /** While nobody takes what was said, nothing is read, and silence is ours. */
  private hold(isHeld: boolean): void {
    this.isHeld = isHeld;
    if (isHeld) this.connection.pause();
    else this.connection.resume();
    this.stopping.hold(isHeld);
    this.watch();
  }

  /** Something was said after a turn, and no end of it: nothing is to wait for that. */
  private unprompted(): void {
    this.queue.push(this.protocol.finish({}));
    this.next();
  }

  /** Mostly because it ends, which then says why. */
  private deaf(): void {
    if (this.isEnding || this.isOver) return;
    this.deafness ??= setTimeout(() => this.abandon(failures.deaf(this.label)), WAIT_MS.deaf);
  }

  /** An agent that cannot be talked to any more: its turn is over, and so is the run. */
  private abandon(failure: DriverFailure): void {
    this.ending = failure;
    if (this.protocol.isTurn) this.queue.push(this.protocol.finish(FAILED, failure));
    this.isStopping = true;
    this.end();
  }

  private over(end: Extract<Input, { type: "end" }>): void {
    this.isOver = true;
    this.watchdog.rest();
    this.stopping.over();
    for (const timer of [this.leaving, this.deafness]) clearTimeout(timer);
    this.approvals.withdrawAll();
    const why = this.ending ?? failures.whyOver(end, this.label);
    const told = this.protocol.isExplained ? undefined : why;
    // What it began by itself needs no answer where it was to end anyway.
    const isNobodys = this.isEnding && !this.isPrompted;
    if (this.protocol.isTurn)
      this.queue.push(this.protocol.finish(isNobodys ? {} : FAILED, isNobodys ? undefined : told));
    else if (!this.isEnding && this.ending === undefined && this.prompts.length === 0)
      this.queue.push(this.protocol.say({ type: "system", subtype: "error", ...why }));
    this.ending = why;
    this.refuseRest();
    this.queue.close();
  }
}

const FAILED = { is_error: true };
