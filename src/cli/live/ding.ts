// The ding: tells somebody who looks elsewhere that a run has finished, failed or waits for an answer.
import { spawn } from "node:child_process";
import type { AgentEvent } from "../../session/events.ts";
import { cut } from "../text.ts";
import { isAgentGone } from "./outcome.ts";

export interface DingOptions {
  bell: boolean;
  notify: boolean;
  label: string;
  /** To the terminal. */
  ring(): void;
  /** Notifications are not shown: told once. */
  onProblem(sentence: string): void;
}

export function newDing({ bell, notify, label, ring, onProblem }: DingOptions): (event: AgentEvent) => void {
  let isTold = false;
  const onUnseen = (why: string) => {
    if (!isTold) onProblem(`${why}; --bell rings instead.`);
    isTold = true;
  };
  return (event) => {
    const words = wordsOf(event);
    if (words === undefined) return;
    if (bell) ring();
    if (notify) show(`Baton: ${label}`, words, onUnseen);
  };
}

function wordsOf(event: AgentEvent): string | undefined {
  if (event.type === "approval_request")
    return event.questions
      ? `asks: ${event.questions[0]?.question ?? ""}`
      : `waits for an approval: ${event.name}`;
  if (event.type === "system" && event.subtype === "error" && isAgentGone(event))
    return `has failed: ${event.message}`;
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

function show(title: string, text: string, onUnseen: (why: string) => void): void {
  const [program, ...args] = commandFor(title, cut(text, 200)) ?? [];
  if (program === undefined) {
    onUnseen("There is no desktop notification on this system");
    return;
  }
  const child = spawn(program, args, { stdio: "ignore", detached: true });
  child.on("error", () => onUnseen(`${program} is not here, so no notification is shown`));
  child.on("exit", (status, signal) => {
    if (status !== 0)
      onUnseen(`${program} ended with ${signal ?? `status ${status}`}, so no notification is shown`);
  });
  // Whoever leaves does not wait for the desktop.
  child.unref();
}
