// Tells the user's words from context that Codex puts into the conversation in the user's role. The CLI itself
// goes by these openings when it rebuilds a thread (0.166.0), so a rewind needs the same list.

/** About the agent and its surroundings, not about the work. */
const SURROUNDINGS = ["<environment_context>", "<codex_internal_context", "<recommended_plugins>"];

const OPENINGS = [
  ...SURROUNDINGS,
  "<user_instructions>",
  "# agents.md",
  "<turn_aborted>",
  "<subagent_notification>",
  "<user_shell_command>",
  "<user_action>",
  "<skill>",
  "<hook_prompt",
  "<goal_context>",
  "<model_switch>",
  "<collaboration_mode>",
  "<permissions instructions>",
  "<instructions>",
  "another language model started to solve this problem and produced a summary",
  "warning: the maximum number of unified exec processes",
  "warning: apply_patch was requested via",
  "warning: your account was flagged",
];
const LONGEST = 80;

export function isContext(text: string): boolean {
  return opensWith(text, OPENINGS);
}

export function isSurroundings(text: string): boolean {
  return opensWith(text, SURROUNDINGS);
}

function opensWith(text: string, openings: readonly string[]): boolean {
  const start = text.slice(0, LONGEST).trimStart();
  // Most prompts begin with a letter that no opening has.
  if (!/^[<#aw]/i.test(start)) return false;
  const lower = start.toLowerCase();
  return openings.some((opening) => lower.startsWith(opening));
}

/** The working directory that an environment context names; older rollouts have no other place for it. */
export function cwdOf(context: string): string | undefined {
  const head = context.slice(0, 500);
  if (!head.startsWith("<environment_context>")) return undefined;
  return (/<cwd>([^<\n]+)<\/cwd>/.exec(head) ?? /^\s*Current working directory: (.+)$/m.exec(head))?.[1];
}

/** Editors put context before the request and mark where the user's words begin. */
export function requestOf(prompt: string): string | undefined {
  const at = prompt.indexOf(REQUEST);
  return at === -1 ? undefined : prompt.slice(at + REQUEST.length).trim();
}

const REQUEST = "## My request for Codex:";

/** The labels that Codex puts around an attached image: part of the message, not the user's words. */
export function isLabel(text: string): boolean {
  return text === "</image>" || (text.startsWith("<image") && text.endsWith(">") && text.length < 2000);
}
