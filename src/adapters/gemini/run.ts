// Gemini CLI live: `gemini --acp`, driven over the Agent Client Protocol. README.md has what was measured, section Live.
import { join } from "node:path";
import { acpDriver } from "../acp.ts";
import type { AcpCall, Turn, Usage } from "../acp-state.ts";
import type { DriverFailure, RunRequest } from "../driver.ts";
import { count, filled, isObject, type Json, objects } from "../json.ts";
import { sameCall, sameCommand } from "../same-call.ts";
import { geminiTool, nativeName, wholeArguments } from "./run-tools.ts";

/** Raises the CLI's own rules to ask above all that the user allowed. */
const ASK = join(import.meta.dirname, "ask.toml");

export const run = acpDriver({
  argv: ({ model, mode }: RunRequest) => [
    "gemini",
    "--acp",
    // Without it another model is asked first which one to use.
    ...(model === undefined ? [] : ["-m", model]),
    ...(mode === "interactive" || mode === "deny" ? ["--admin-policy", ASK] : []),
  ],
  env: {
    // Otherwise it starts itself again, and a signal reaches only the first of the two.
    GEMINI_CLI_NO_RELAUNCH: "true",
    // Commands as in its own headless mode: what they print to a terminal of their own is never told over ACP (0.61.0).
    GEMINI_PTY_INFO: "child_process",
    // Whoever is not signed in is told so; nobody may be there to use a browser.
    NO_BROWSER: "true",
  },
  modes: { interactive: "default", deny: "default" },
  isModelLaunched: true,
  // It takes these for a place in its list.
  isSession: (id) => !/^(?:\d+|latest)$/.test(id.trim()),
  loadedAs: asStranger,
  tool: geminiTool,
  isFailed: ({ id }, text) => nativeName(id) === "run_shell_command" && FAILED.test(text),
  text: (chunk) => (MODE.test(chunk) ? undefined : chunk),
  thought: (chunk) => chunk.replace(/^\*{4}\n/, ""),
  usage,
  verdict,
  complaint,
  exits: { 41: "not_signed_in", 52: "agent_broken" },
  preferred: ["proceed_always_tool"],
  remembered,
});

/**
 * Before 0.61.0 looks for a session that it is to load, it begins one under the same id, in a file named after the minute
 * and the first eight letters of it: in the minute that the session was begun in, that empties it; in a later one, its
 * next start deletes both (measured). Looking for it, it takes blanks away; naming the file, it does not.
 */
function asStranger(id: string): string {
  return ` ${id}`;
}

/** Told as words of the model whenever the mode changes. */
const MODE = /^\[MODE_UPDATE\] \w+$/;

/** All that is told of a command that failed, where it printed nothing. */
const FAILED =
  /^(?:Command exited with code: -?\d+$|Command terminated by signal: |Command failed: |Command cancelled by user\.|Command was automatically cancelled )/;

/** Of all requests of the turn. The cache is in the input, thoughts are nowhere. */
function usage(result: Json): Usage | undefined {
  const meta = isObject(result._meta) ? result._meta : {};
  const quota = isObject(meta.quota) ? meta.quota : {};
  const tokens = isObject(quota.token_count) ? quota.token_count : {};
  const [input, output] = [count(tokens.input_tokens), count(tokens.output_tokens)];
  if (input === undefined || output === undefined) return undefined;
  const [only, ...others] = objects(quota.model_usage);
  const model = others.length === 0 ? filled(only?.model) : undefined;
  return { input_tokens: input, output_tokens: output, ...(model !== undefined && { model }) };
}

function verdict({ stopReason }: Json, { prompt, hasText, hasCalls }: Turn): DriverFailure | undefined {
  // It says so where the next request would not fit.
  if (stopReason === "max_tokens")
    return {
      code: "context_too_long",
      provider_code: "max_tokens",
      message: "The conversation is too long.",
    };
  // Answers that it cannot use, refusals too, are asked for four times and then passed over in silence.
  const isEmpty = stopReason === "end_turn" && !hasText && !hasCalls && !/^\s*[/$]/.test(prompt);
  if (!isEmpty) return undefined;
  return {
    code: "failed",
    message:
      "Gemini CLI ended the turn without an answer: the model gave none that it could use, or refused.",
    hint: "Ask in another way, or name another model with --model.",
  };
}

/** Signing in begins on its standard output, and takes what we say for the code. */
function complaint(line: string): DriverFailure | undefined {
  return /Please visit the following URL to authorize|Enter the authorization code/.test(line)
    ? { code: "not_signed_in", message: "Gemini CLI is not signed in." }
    : undefined;
}

/** Our policy stands above what it remembers, except of edits, for which it changes its mode. */
function remembered(call: AcpCall): string | undefined {
  const known = wholeArguments(call);
  if (!known) return undefined;
  const name = nativeName(call.id) ?? "";
  // A server and its tool may be called together what two others are; the title tells them apart.
  return call.kind === "execute" ? sameCommand(name, known) : sameCall(`${name} ${call.title}`, known);
}
