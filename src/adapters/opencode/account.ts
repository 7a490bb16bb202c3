// Whether OpenCode could talk to a model: with a login, a key in a variable or in the configuration. Without any it has
// models that cost nothing, so it is never known to be signed out while these are on.
import { join } from "node:path";
import type { Account, Home } from "../adapter.ts";
import { credentialsIn, hasAny } from "../credentials.ts";
import { configFor } from "./installed.ts";
import { isObject, type JsonObject, objectOf, word } from "./native.ts";
import { dataFolder } from "./paths.ts";

/** Of the vendors that most people use; the CLI knows some hundred more. */
const KEYS = [
  "ANTHROPIC_API_KEY",
  "OPENAI_API_KEY",
  "GEMINI_API_KEY",
  "GOOGLE_GENERATIVE_AI_API_KEY",
  "OPENROUTER_API_KEY",
  "OPENCODE_API_KEY",
  "GROQ_API_KEY",
  "XAI_API_KEY",
  "MISTRAL_API_KEY",
  "DEEPSEEK_API_KEY",
  "CEREBRAS_API_KEY",
  "TOGETHER_API_KEY",
  "FIREWORKS_API_KEY",
  "MOONSHOT_API_KEY",
  "ZHIPU_API_KEY",
  "AZURE_API_KEY",
  "AWS_BEARER_TOKEN_BEDROCK",
];

export async function account(home: Home): Promise<Account> {
  return { state: await stateOf(home), login: "opencode auth login" };
}

async function stateOf(home: Home): Promise<Account["state"]> {
  const stored = credentialsIn(join(dataFolder(home), "auth.json"));
  if (isObject(stored) && Object.values(stored).some(isObject)) return "signed_in";
  if (hasAny(home.env, [...KEYS, "OPENCODE_AUTH_CONTENT"])) return "signed_in";
  const config = configFor(home);
  const providers = Object.values(objectOf(config.provider)).map(objectOf);
  if (providers.some(({ options }) => hasKey(objectOf(options), home))) return "signed_in";
  return stored === "unreadable" || hasFreeModels(config) ? "unknown" : "signed_out";
}

/** A model on this machine needs none. */
function hasKey({ apiKey, baseURL }: JsonObject, home: Home): boolean {
  if (LOOPBACK.test(word(baseURL) ?? "")) return true;
  const variable = /^\{env:([^}]+)\}$/.exec(word(apiKey) ?? "")?.[1];
  return variable === undefined ? word(apiKey) !== undefined : hasAny(home.env, [variable]);
}

const LOOPBACK = /^https?:\/\/(?:localhost|127\.|\[::1\])/;

function hasFreeModels({ enabled_providers: on, disabled_providers: off }: JsonObject): boolean {
  if (Array.isArray(on) && !on.includes("opencode")) return false;
  return !(Array.isArray(off) && off.includes("opencode"));
}
