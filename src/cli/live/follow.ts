// Follows a run to its end: hands it prompts, shows or prints what it does, has its questions answered, and says with
// which status the command ends.
import { text as textOf } from "node:stream/consumers";
import type { Runnable } from "../../run/agents.ts";
import type { LiveRun } from "../../run/live.ts";
import type { RunLog } from "../../run/record.ts";
import { BatonError } from "../../session/error.ts";
import type { Options } from "../commands/run.ts";
import type { Context } from "../context.ts";
import { type Drawn, onEndOfReader } from "../output.ts";
import { redaction } from "../redaction.ts";
import { byLine } from "./by-line.ts";
import { type Conversation, newConversation } from "./conversation.ts";
import { newDing } from "./ding.ts";
import { type Mistakes, newMistakes } from "./mistakes.ts";
import { newOutcome } from "./outcome.ts";
import { newOutlet } from "./outlet.ts";
import type { Page } from "./page.ts";
import { onSignals } from "./signals.ts";
import { steer } from "./steering.ts";

export interface Following {
  context: Context;
  agent: Runnable;
  options: Options;
  given: string | undefined;
  start(hasApprover: boolean): LiveRun;
  log: RunLog;
}

export async function follow(following: Following): Promise<number> {
  const { context, agent, options, given, log } = following;
  const { output } = context;
  const isSteered = isSteering(options);
  const hasPerson = isPerson(options);
  const isConversation = given === undefined && !isSteered;
  const run = following.start(isSteered || hasPerson);
  const prompt = (text: string) => {
    log.given(text);
    run.prompt(text);
  };
  const interrupt = () => {
    const { isActive } = run;
    run.interrupt();
    return isActive;
  };
  const signals = onSignals({ interrupt, end: () => run.end(), leave: leaveSoon });
  const outlet = newOutlet(context, agent, options);
  const { label } = agent.who;
  const person = hasPerson
    ? newConversation({ run, outlet, label, signals, ...(isConversation && { prompt }) })
    : undefined;
  const mistakes = mistakesOf(following, run);
  begin(following, { given, isSteered, run, prompt, person, mistakes });
  const how = { bell: options.bell ?? false, notify: options.notify ?? false, label };
  const ding = newDing({ ...how, ring: outlet.ring, onProblem: output.warn });
  const outcome = newOutcome();
  let isUnread = false;
  let isLeft = false;
  const drawn = below(outlet.page, person);
  output.drawn(drawn);
  onEndOfReader(() => {
    isUnread = true;
    run.interrupt();
    run.finish();
  });
  try {
    const redactor = redaction();
    for await (const event of redactor ? byLine(run.events, redactor.text) : run.events) {
      if (isLeft) continue;
      log.note(event);
      outcome.note(event);
      if (event.type === "result") signals.turnOver();
      if (isUnread) {
        isLeft = event.type === "message_stop";
        if (isLeft) run.end();
        continue;
      }
      person?.aside();
      drawn.isBusy = true;
      // A signal ends it also where nobody takes what is written.
      await signals.unlessStopped(outlet.show(event));
      drawn.isBusy = false;
      mistakes.shown(event);
      ding(event);
      await person?.hear(event);
    }
    const status = signals.status();
    if (isUnread) return status ?? 0;
    person?.aside();
    await signals.unlessStopped(outlet.end(outcome.result));
    return status ?? outcome.status();
  } finally {
    output.drawn(undefined);
    person?.close();
    signals.close();
  }
}

/** What is told meanwhile stands above a prompt or a question, and not in the middle of a line. */
function below(page: Page | undefined, person: Conversation | undefined): Drawn & { isBusy: boolean } {
  return {
    /** An event is being shown. */
    isBusy: false,
    hide() {
      person?.aside();
      page?.breakOff();
    },
    show() {
      if (!this.isBusy) person?.back();
    },
  };
}

interface Beginning {
  given: string | undefined;
  isSteered: boolean;
  run: LiveRun;
  prompt(text: string): void;
  person: Conversation | undefined;
  mistakes: Mistakes;
}

function mistakesOf({ context, options }: Following, run: LiveRun): Mistakes {
  return newMistakes((sentence) => {
    run.warn("bad_input", sentence);
    // In a text the event is a warning already.
    if (options.outputFormat === "stream-json" || context.output.isJson) context.output.warn(sentence);
  });
}

function begin({ context }: Following, { given, isSteered, run, prompt, person, mistakes }: Beginning): void {
  if (given !== undefined) prompt(given);
  if (isSteered) {
    const steered = { run, onPrompt: prompt, onMistake: mistakes.tell, onEnd: mistakes.end };
    steer(process.stdin, steered).catch((error: unknown) => {
      context.output.warn(`The input broke off: ${error instanceof Error ? error.message : String(error)}`);
      mistakes.end();
      run.unattended();
      run.finish();
    });
  } else if (given !== undefined) run.finish();
  else person?.begin();
}

/** Undefined = whoever sits in front of it types prompts, or the input steers the run. */
export async function promptOf(options: Options): Promise<string | undefined> {
  const { prompt } = options;
  if (prompt === undefined && (isSteering(options) || isPerson(options))) return undefined;
  if (prompt === undefined && process.stdin.isTTY)
    throw new BatonError(
      "usage",
      "There is no prompt, and nowhere to ask for one: standard error is no terminal.",
      "Give one with -p, or on standard input.",
    );
  const text = prompt ?? (await textOf(process.stdin));
  if (text.trim() !== "") return text;
  throw new BatonError("usage", "There is no prompt.", "Give one with -p, or on standard input.");
}

function isSteering({ inputFormat }: Options): boolean {
  return inputFormat === "stream-json";
}

/** Whether somebody sits in front of it. */
function isPerson(options: Options): boolean {
  return !isSteering(options) && process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** For the agent to end, and its record to be written. */
const LEAVING_MS = 3000;

function leaveSoon(status: number): void {
  setTimeout(() => process.exit(status), LEAVING_MS).unref();
}
