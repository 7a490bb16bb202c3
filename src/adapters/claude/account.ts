// Whether Claude Code is signed in, and whether its account has reached a limit. README.md has what was measured.
import { join } from "node:path";
import type { Account, Home, Limit } from "../adapter.ts";
import { credentialsIn, hasAny, isOn } from "../credentials.ts";
import { count } from "../json.ts";
import { limitIn, type Outcome, timeOf } from "../limit.ts";
import { endOfWait } from "../wait.ts";
import { globalFile, readJson } from "./installed.ts";
import { blocksOf, filled, isObject, type Json } from "./native.ts";
import { configDir, discoverFiles } from "./paths.ts";
import { place } from "./place.ts";

const KEYS = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN"];
const CLOUDS = ["CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY"];

export async function account(home: Home): Promise<Account> {
  return { state: stateOf(home), login: "claude auth login" };
}

function stateOf(home: Home): Account["state"] {
  const settings = readJson(join(configDir(home), "settings.json"));
  const variables = { ...home.env, ...(isObject(settings.env) && settings.env) };
  if (hasAny(variables, KEYS) || isOn(variables, CLOUDS)) return "signed_in";
  if (hasAny(settings, ["apiKeyHelper"]) || hasAny(readJson(globalFile(home)), ["primaryApiKey"]))
    return "signed_in";
  const stored = credentialsIn(join(configDir(home), ".credentials.json"));
  // A token that has expired is renewed: the CLI still says that it is signed in.
  const login = isObject(stored) ? stored.claudeAiOauth : undefined;
  if (isObject(login) && hasAny(login, ["accessToken"])) return "signed_in";
  // There it keeps them in the keychain.
  return stored === "unreadable" || process.platform === "darwin" ? "unknown" : "signed_out";
}

export async function limit(home: Home, now: Date): Promise<Limit | undefined> {
  const own = [...discoverFiles(home)].filter(({ parent }) => parent === undefined);
  return limitIn(
    own.flatMap(({ files: [main] }) => main ?? []),
    now,
    { badge: place.badge, outcomeIn },
  );
}

/** Other failures say nothing of a limit. */
function outcomeIn(records: Iterable<Json>): Outcome | undefined {
  for (const record of records) {
    const at = timeOf(record.timestamp);
    if (record.type !== "assistant" || at === undefined || !isObject(record.message)) continue;
    if (record.isApiErrorMessage === true) {
      const said = wordsOf(record.message);
      if (isLimit(record, said)) return { at, said, until: resetOf(record) ?? endOfWait(said, at) };
    } else if (record.message.model !== "<synthetic>") return { at };
  }
  return undefined;
}

function wordsOf({ content }: Json): string {
  return blocksOf(content)
    .flatMap(({ text }) => filled(text) ?? [])
    .join(" ");
}

const LIMIT =
  /\blimit (?:was )?reached|\b(?:hit|reached) your\b.{0,80}\blimit|out of (?:extra )?usage|rejected \(429\)/i;

function isLimit(record: Json, said: string): boolean {
  return record.error === "rate_limit" || record.apiErrorStatus === 429 || LIMIT.test(said);
}

/** Beside the words, since 2.1.3xx: in seconds since 1970. */
function resetOf({ quotaLimits, apiErrorParams }: Json): number | undefined {
  const info = isObject(apiErrorParams) ? apiErrorParams.rate_limit_info : undefined;
  for (const facts of [quotaLimits, info]) {
    const seconds = isObject(facts) ? count(facts.resetsAt) : undefined;
    if (seconds !== undefined) return seconds * 1000;
  }
  return undefined;
}
