// The person at the terminal: types the next prompt, and answers what the agent asks, one question after the other. In a
// conversation the terminal is held from the first prompt to the end, otherwise only while something is asked.
import { setImmediate } from "node:timers/promises";
import type { LiveRun } from "../../run/live.ts";
import type { AgentEvent, EventOf } from "../../session/events.ts";
import type { Drawn } from "../output.ts";
import { askPerson, type Person } from "./asking.ts";
import { type Keyboard, newKeyboard } from "./keyboard.ts";
import { type Line, type LineEnd, openLine } from "./line.ts";
import type { Outlet } from "./outlet.ts";
import type { Signals } from "./signals.ts";

export interface Conversation {
  /** The first prompt is asked for; whoever gives none leaves. */
  begin(): void;
  /** Before an event is shown: nothing is drawn below it. */
  aside(): void;
  /** Draws again what was put aside. */
  back(): void;
  /** An event has been shown. */
  hear(event: AgentEvent): Promise<void>;
  close(): void;
}

export interface ConversationOptions {
  run: LiveRun;
  outlet: Outlet;
  label: string;
  signals: Pick<Signals, "interrupt" | "left">;
  /** Absent = there are no further prompts. */
  prompt?: (text: string) => void;
}

export function newConversation(options: ConversationOptions): Conversation {
  return new Talk(options);
}

class Talk implements Conversation {
  private readonly options: ConversationOptions;
  private readonly keyboard: Keyboard;
  private readonly person: Person;
  /** What is asked and was not answered yet, by its id. */
  private readonly open = new Map<string, AbortController>();
  private asking: Promise<unknown> = Promise.resolve();
  private readonly history: string[] = [];
  private question: Drawn | undefined;
  private line: Line | undefined;
  private isPrompting = false;
  private isTurn = false;
  private isOver = false;

  constructor(options: ConversationOptions) {
    const { run, outlet, prompt } = options;
    const { stdin: input, stderr: output } = process;
    this.options = options;
    this.keyboard = newKeyboard({
      input,
      output,
      // Between two turns the next prompt is about to be asked for.
      onInterrupt: () => (run.isActive || !prompt) && this.interrupt(),
      onEnd: () => {
        run.unattended();
        run.finish();
      },
      onSuspend: () => this.aside(),
      onContinue: () => this.back(),
    });
    this.person = {
      note: outlet.face.note,
      colors: outlet.face.colors,
      width: outlet.face.width,
      height: () => output.rows || 24,
      keyboard: this.keyboard,
      output,
      rest: async () => outlet.page?.rest(),
      drawn: (one) => {
        this.question = one;
      },
      onInterrupt: () => this.interrupt(),
    };
  }

  begin(): void {
    this.keyboard.hold();
    void this.askNext();
  }

  aside(): void {
    this.question?.hide();
    this.line?.hide();
  }

  async hear(event: AgentEvent): Promise<void> {
    if (event.type === "message_stop") this.isTurn = false;
    else if (event.type !== "system") this.isTurn = true;
    if (event.type === "approval_request") {
      const withdrawn = new AbortController();
      this.open.set(event.id, withdrawn);
      this.asking = this.asking.then(() => this.ask(event, withdrawn.signal));
    }
    if (event.type === "approval") this.open.get(event.id)?.abort();
    if (event.type === "message_stop") void this.askNext();
    if (this.question || (this.line && !this.isTurn)) await this.person.rest();
    this.back();
  }

  close(): void {
    this.isOver = true;
    this.withdrawAll();
    this.line?.close();
    this.keyboard.release();
  }

  back(): void {
    if (this.isOver) return;
    if (this.question) this.question.show();
    else if (this.open.size === 0 && !this.isTurn) this.line?.show();
  }

  private withdrawAll(): void {
    for (const one of this.open.values()) one.abort();
  }

  private interrupt(): void {
    this.withdrawAll();
    this.options.signals.interrupt();
  }

  private async ask(event: EventOf<"approval_request">, signal: AbortSignal): Promise<void> {
    const { run, outlet, label, prompt } = this.options;
    await this.person.rest();
    // What withdraws it may have been said already.
    await setImmediate();
    const isWanted = !signal.aborted;
    if (isWanted) {
      this.keyboard.hold();
      const decision = await askPerson(event, label, this.person, signal);
      if (decision) run.decide(event.id, decision);
      if (!prompt) this.keyboard.release();
    }
    this.open.delete(event.id);
    if (this.isTurn && isWanted) outlet.page?.working("waiting for the agent");
    this.back();
  }

  /** At most one prompt is asked for at a time: agents begin some turns by themselves. */
  private async askNext(): Promise<void> {
    const { run, outlet, signals, prompt } = this.options;
    if (!prompt || this.isPrompting || this.isOver) return;
    this.isPrompting = true;
    const text = await nextPrompt(() => this.typed(), this.person, signals);
    this.isPrompting = false;
    if (text === undefined) run.finish();
    else {
      outlet.page?.working("waiting for the model");
      prompt(text);
    }
  }

  private async typed(): Promise<LineEnd> {
    const { keyboard, history, person } = this;
    await person.rest();
    if (this.isOver) return { type: "end" };
    const line = openLine({ keyboard, output: person.output, prompt: "> ", history });
    this.line = line;
    this.back();
    const end = await line.ended;
    this.line = undefined;
    return end;
  }
}

const HOW_TO_LEAVE = "Ctrl-C once more, or Ctrl-D, leaves.";

/** Undefined = the person leaves. */
async function nextPrompt(
  typed: () => Promise<LineEnd>,
  { note, colors }: Person,
  signals: Pick<Signals, "left">,
): Promise<string | undefined> {
  let isWarned = false;
  for (;;) {
    const end = await typed();
    if (end.type === "end") return undefined;
    if (end.type === "text") {
      if (end.text.trim() !== "") return end.text;
      isWarned = false;
    } else if (!end.wasEmpty) isWarned = false;
    else if (isWarned) {
      signals.left();
      return undefined;
    } else {
      note(`${colors.dim(HOW_TO_LEAVE)}\n`);
      isWarned = true;
    }
  }
}
