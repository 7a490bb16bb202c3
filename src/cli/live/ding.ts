// The ding: tells somebody who looks elsewhere that a run has finished, failed or waits for an answer.
import { spawn } from "node:child_process";
import type { AgentEvent } from "../../session/events.ts";
import { cut } from "../text.ts";

export interface Ding {
  bell: boolean;
  notify: boolean;
  label: string;
  /** To the terminal. */
  ring(): void;
  onProblem(sentence: string): void;
}

export function ding(event: AgentEvent, options: Ding): void {
  const words = wordsOf(event);
  if (words === undefined) return;
  if (options.bell) options.ring();
  if (options.notify) notify(`Baton: ${options.label}`, words, options.onProblem);
}

function wordsOf(event: AgentEvent): string | undefined {
  if (event.type === "approval_request")
    return event.questions
      ? `asks: ${event.questions[0]?.question ?? ""}`
      : `waits for an approval: ${event.name}`;
  if (event.type !== "result") return undefined;
  switch (event.subtype) {
    case "success":
      return `has finished: ${cut(event.result, 120)}`;
    case "refusal":
      return "does not answer";
    case "interrupted":
      return "was interrupted";
    case "error":
      return `has failed: ${event.error?.message ?? ""}`;
  }
}

/** Each takes the two texts as arguments, never as a script. */
function commandFor(title: string, text: string): readonly string[] | undefined {
  switch (process.platform) {
    case "linux":
      return ["notify-send", "--app-name=Baton", "--", title, text];
    case "darwin":
      return ["osascript", "-e", OSASCRIPT, title, text];
    default:
      return undefined;
  }
}

const OSASCRIPT = "on run argv\ndisplay notification (item 2 of argv) with title (item 1 of argv)\nend run";

function notify(title: string, text: string, onProblem: (sentence: string) => void): void {
  const [program, ...args] = commandFor(title, cut(text, 200)) ?? [];
  if (program === undefined) {
    onProblem("There is no desktop notification on this system; --bell rings instead.");
    return;
  }
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () =>
    onProblem(`${program} is not here, so no notification is shown; --bell rings instead.`),
  );
  child.unref();
}
