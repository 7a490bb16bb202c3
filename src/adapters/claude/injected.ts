// Tells what the user typed from what the CLI put into user messages by itself.
import { type ClaudeBlock, type ClaudeRecord, INTERRUPTED, isObject } from "./native.ts";

/** How text begins that no user typed as a prompt: echoes of commands, reminders, notifications, markers. */
const BEGINNINGS = [
  "<agent-notification",
  "<background-task",
  "<bash-input>",
  "<bash-stderr>",
  "<bash-stdout>",
  "<command-args>",
  "<command-message>",
  "<command-name>",
  "<local-command-caveat>",
  "<local-command-stderr>",
  "<local-command-stdout>",
  "<session-start-hook>",
  "<system-reminder>",
  "<task-notification>",
  "<teammate-message",
  "<tick>",
  "<user-memory-input>",
  "<user-prompt-submit-hook>",
  INTERRUPTED,
];

export function isInjected(record: ClaudeRecord, block: ClaudeBlock): boolean {
  if (record.isMeta === true || record.isCompactSummary === true) return true;
  const { origin } = record;
  if (isObject(origin) && typeof origin.kind === "string" && origin.kind !== "human") return true;
  if (typeof block.text !== "string") return false;
  const first = block.text.charCodeAt(0);
  if (first !== LESS && first !== BRACKET) return false;
  return BEGINNINGS.some((beginning) => (block.text as string).startsWith(beginning));
}

const LESS = 60;
const BRACKET = 91;
