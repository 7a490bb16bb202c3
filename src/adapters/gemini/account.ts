// Whether Gemini CLI is signed in, by the way that its settings or the variables choose. README.md has what was measured.
import { join } from "node:path";
import type { Account, Home } from "../adapter.ts";
import { credentialsIn, hasAny, isOn, mayHaveKeychain } from "../credentials.ts";
import { fileRef, textOf } from "../folder.ts";
import { filled, isObject, type Json } from "../json.ts";
import { settingsIn, within } from "./installed.ts";
import { geminiHome } from "./paths.ts";

/** There is no command for it: the CLI asks when it starts. */
export async function account(home: Home): Promise<Account> {
  return { state: await stateOf(home), login: "gemini" };
}

type State = Account["state"];

async function stateOf(home: Home): Promise<State> {
  const settings = settingsIn(join(geminiHome(home), "settings.json"));
  const variables: Json = { ...inEnvFile(home), ...home.env };
  switch (chosenIn(settings) ?? chosenBy(variables)) {
    case "oauth-personal":
      return withGoogle(variables, home);
    case "gemini-api-key":
      return hasAny(variables, ["GEMINI_API_KEY"]) ? "signed_in" : inKeychain(home);
    case "vertex-ai":
      return withVertex(variables, home);
    case "compute-default-credentials":
    case "cloud-shell":
      return isOn(variables, ["CLOUD_SHELL", "GEMINI_CLI_USE_COMPUTE_ADC"]) ? "signed_in" : "unknown";
    case undefined:
      // Whoever signed in once has chosen, unless the settings are gone.
      return fileRef(join(geminiHome(home), CREDENTIALS), "main") ? "unknown" : "signed_out";
    default:
      return "unknown";
  }
}

function chosenIn(settings: Json): string | undefined {
  const auth = within(within(settings, "security"), "auth");
  return filled(auth.enforcedType) ?? filled(auth.selectedType) ?? filled(settings.selectedAuthType);
}

/** In the order of 0.61.0. */
function chosenBy(variables: Json): string | undefined {
  if (isOn(variables, ["GOOGLE_GENAI_USE_GCA"])) return "oauth-personal";
  if (isOn(variables, ["GOOGLE_GENAI_USE_VERTEXAI"])) return "vertex-ai";
  if (hasAny(variables, ["GOOGLE_GEMINI_BASE_URL"])) return "gateway";
  if (hasAny(variables, ["GEMINI_API_KEY"])) return "gemini-api-key";
  return isOn(variables, ["CLOUD_SHELL", "GEMINI_CLI_USE_COMPUTE_ADC"])
    ? "compute-default-credentials"
    : undefined;
}

const CREDENTIALS = "oauth_creds.json";

function withGoogle(variables: Json, home: Home): State {
  if (hasAny(variables, ["GOOGLE_GENAI_USE_GCA"]) && hasAny(variables, ["GOOGLE_CLOUD_ACCESS_TOKEN"]))
    return "signed_in";
  const stored = credentialsIn(join(geminiHome(home), CREDENTIALS));
  if (isObject(stored) && hasAny(stored, ["refresh_token", "access_token"])) return "signed_in";
  if (stored === "unreadable") return "unknown";
  const isElsewhere =
    isOn(variables, ["GEMINI_FORCE_ENCRYPTED_FILE_STORAGE"]) ||
    hasAny(variables, ["GOOGLE_APPLICATION_CREDENTIALS"]);
  return isElsewhere ? "unknown" : inEncryptedFile(home);
}

/** Without a keychain the CLI keeps keys in an encrypted file, of any kind. */
function inEncryptedFile(home: Home): State {
  return fileRef(join(geminiHome(home), "gemini-credentials.json"), "main") ? "unknown" : "signed_out";
}

function inKeychain(home: Home): State {
  return mayHaveKeychain(home) ? "unknown" : inEncryptedFile(home);
}

function withVertex(variables: Json, home: Home): State {
  if (hasAny(variables, ["GOOGLE_API_KEY"])) return "signed_in";
  const isPlaced = ["GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION"].every((name) =>
    hasAny(variables, [name]),
  );
  if (!isPlaced) return "signed_out";
  const adc = join(home.dir, ".config", "gcloud", "application_default_credentials.json");
  return hasAny(variables, ["GOOGLE_APPLICATION_CREDENTIALS"]) || fileRef(adc, "main")
    ? "signed_in"
    : "unknown";
}

/** The CLI takes the first that it finds from its folder upwards, and these last; a variable of the shell counts more. */
function inEnvFile(home: Home): Json {
  const root = geminiHome(home);
  const path = [join(root, ".env"), join(root, "..", ".env")].find((one) => fileRef(one, "main"));
  const found: Json = {};
  for (const line of path === undefined ? [] : textOf(path).split("\n")) {
    const [, name, value = ""] = /^\s*(?:export\s+)?([\w.-]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) found[name] = value.replace(/^(["'])(.*)\1.*$/, "$2");
  }
  return found;
}
