// Whether Codex is signed in, and whether its account has reached a limit. README.md has what was measured.
import { join } from "node:path";
import { jsonIn } from "../../session/json.ts";
import type { Account, FileRef, Home, Limit } from "../adapter.ts";
import { credentialsIn, hasAny, mayHaveKeychain } from "../credentials.ts";
import { fileRef } from "../folder.ts";
import { limitIn, type Outcome, timeOf } from "../limit.ts";
import { switchIn } from "../switched.ts";
import { endOfWait } from "../wait.ts";
import { configIn } from "./installed.ts";
import { count, isObject, type JsonObject, recordOf, word } from "./native.ts";
import { beginningIn, codexHome, rollouts } from "./paths.ts";
import { place } from "./place.ts";

const LOGIN = "codex login";
/** Providers that come with it and run on this machine. */
const LOCAL = new Set(["ollama", "lmstudio", "ollama-chat"]);

export async function account(home: Home): Promise<Account> {
  const config = configIn(codexHome(home));
  const name = word(config.model_provider) ?? "openai";
  const providers = isObject(config.model_providers) ? config.model_providers : {};
  const provider = providers[name];
  if (isObject(provider) && provider.requires_openai_auth !== true) return ofProvider(provider, home);
  if (LOCAL.has(name)) return { state: "signed_in", login: LOGIN };
  const isOpenAi = name === "openai" || isObject(provider);
  return { state: isOpenAi ? stateOf(config, home) : "unknown", login: LOGIN };
}

/** A provider of the user's own has a key in a variable, in the configuration, or none. */
function ofProvider(provider: JsonObject, home: Home): Account {
  const variable = word(provider.env_key);
  if (variable === undefined || hasAny(provider, ["experimental_bearer_token"]))
    return { state: "signed_in", login: LOGIN };
  const login = `export ${variable}=…`;
  if (hasAny(home.env, [variable])) return { state: "signed_in", login };
  // Of a home that was named, the variables are not known.
  return { state: Object.keys(home.env).length === 0 ? "unknown" : "signed_out", login };
}

function stateOf(config: JsonObject, home: Home): Account["state"] {
  if (hasAny(home.env, ["CODEX_API_KEY", "CODEX_ACCESS_TOKEN"])) return "signed_in";
  const store = word(config.cli_auth_credentials_store);
  if (store === "keyring") return "unknown";
  const stored = credentialsIn(join(codexHome(home), "auth.json"));
  if (isObject(stored) && holdsKey(stored)) return "signed_in";
  // With a damaged file it neither works nor says that it is signed out.
  if (stored === "damaged" || stored === "unreadable") return "unknown";
  if (store === "auto" && mayHaveKeychain(home)) return "unknown";
  // Today's CLI takes this key only when it signs in with it; those of 2025 took it as it is.
  return hasAny(home.env, ["OPENAI_API_KEY"]) ? "unknown" : "signed_out";
}

function holdsKey(stored: JsonObject): boolean {
  const { tokens, agent_identity: identity } = stored;
  if (hasAny(stored, ["OPENAI_API_KEY", "agent_identity"]) || isObject(identity)) return true;
  return isObject(tokens) && hasAny(tokens, ["access_token", "refresh_token"]);
}

/** Subagents have rollouts of their own, and the same account, unless another agent's were carried here. */
export async function limit(home: Home, now: Date): Promise<Limit | undefined> {
  const files = rollouts(codexHome(home)).flatMap(({ path }) => fileRef(path, "main") ?? []);
  return limitIn(files, now, { badge: place.badge, outcomeIn, switchOf, isOwn });
}

function switchOf(value: JsonObject): ReturnType<typeof switchIn> {
  const { payload } = recordOf(value) ?? {};
  return payload && switchIn(payload);
}

/** The mark of a switch stands in the thread that was carried, not in those of its subagents. */
function isOwn({ path }: FileRef): boolean {
  const [line = ""] = beginningIn(path).split("\n", 1);
  const { parent_thread_id: parent, continued_from: from } = recordOf(jsonIn(line))?.payload ?? {};
  return word(parent) === undefined || word(from)?.startsWith(`${place.id}:`) !== false;
}

/** The counts that follow a response say how much of each window is used; a refusal follows its own. */
function outcomeIn(records: Iterable<JsonObject>): Outcome | undefined {
  let last: Outcome | undefined;
  for (const value of records) {
    const record = recordOf(value);
    const at = timeOf(record?.timestamp);
    if (record?.type !== "event_msg" || at === undefined) continue;
    const { payload } = record;
    if (payload.type === "token_count") return withWindows(last, payload.rate_limits, at);
    last ??= endOfTurn(payload, at);
  }
  return last;
}

function endOfTurn(payload: JsonObject, at: number): Outcome | undefined {
  const error = payload.type === "error" || payload.type === "stream_error" ? payload : payload.error;
  if (isObject(error)) {
    const said = word(error.message) ?? "";
    return isLimit(error, said) ? { at, said, until: endOfWait(said, at) } : undefined;
  }
  return payload.type === "task_complete" && word(payload.last_agent_message) ? { at } : undefined;
}

function isLimit({ codex_error_info: info }: JsonObject, said: string): boolean {
  if (info === "usage_limit_exceeded") return true;
  return /\b429\b|usage limit|rate limit|quota exceeded|exceeded your current quota/i.test(said);
}

function withWindows(last: Outcome | undefined, limits: unknown, at: number): Outcome | undefined {
  const full = isObject(limits) && !hasCredits(limits) ? fullWindows(limits, at) : [];
  if (full.length === 0) return last ?? { at };
  const { said, until } = full.reduce((a, b) => (b.until > a.until ? b : a));
  return { at: last?.at ?? at, said: last?.said ?? said, until };
}

function hasCredits({ credits }: JsonObject): boolean {
  return isObject(credits) && (credits.unlimited === true || credits.has_credits === true);
}

function fullWindows(limits: JsonObject, at: number): { said: string; until: number }[] {
  return [limits.primary, limits.secondary].flatMap((window) => {
    if (!isObject(window) || (count(window.used_percent) ?? 0) < 100) return [];
    const until = resetOf(window, at);
    const minutes = count(window.window_minutes) ?? count(window.window_duration_mins);
    const what = minutes === undefined ? "the limit" : `the limit of ${minutes} minutes`;
    return until === undefined ? [] : [{ said: `100% of ${what} is used.`, until }];
  });
}

function resetOf(window: JsonObject, at: number): number | undefined {
  const resets = count(window.resets_at);
  if (resets !== undefined) return resets * 1000;
  const wait = count(window.resets_in_seconds);
  return wait === undefined ? undefined : at + wait * 1000;
}
