// The strings of a native record for which no fold could say which of them is the text: what somebody said, wrote or
// was shown first, and never what only says whose record it is.
import { jsonIn } from "../../session/json.ts";

/** Of bytes that may be damaged, or only a piece of a record. */
export function stringsIn(bytes: Buffer): string[] {
  const text = bytes.toString("utf8");
  const value = jsonIn(text);
  // A damaged line is still text.
  if (value === undefined) return [unescaped(text)];
  const found: Found = { said: [], others: [] };
  gather(value, found, false);
  return [...found.said, ...found.others];
}

interface Found {
  said: string[];
  others: string[];
}

/** Below these stands what somebody said, wrote or was shown. */
const SAID = /^(?:content|text|thinking|summary|message|prompt|stdout|stderr|title|body|parts?|data)$/i;
/** Below these everything is text, whatever it is called. */
const GIVEN = /^(?:input|args|arguments|output|result|action)$/i;
/** Where a record stands, who made it and with what: in every record, and never what was looked for. */
const ENVELOPE =
  "(?:type|subtype|role|kind|status|cwd|directory|root|version|model|provider|agent|mode|userType|entrypoint|gitBranch|slug|time|timestamp|phase|\\w*(?:id|ids|uuid|hash|version))";
const ENVELOPE_KEY = new RegExp(`^${ENVELOPE}$`, "i");

const DEEPEST = 200;

function gather(value: unknown, into: Found, isSaid: boolean, isGiven = false, depth = 0): void {
  if (typeof value === "string") {
    // Arguments and outputs may be JSON once more.
    const inner = /^\s*[{[]/.test(value) ? jsonIn(value) : undefined;
    if (typeof inner === "object" && depth < DEEPEST) gather(inner, into, isSaid, isGiven, depth + 1);
    (isSaid || isGiven ? into.said : into.others).push(value);
  } else if (typeof value === "number") {
    if (isGiven) into.said.push(String(value));
  } else if (typeof value === "object" && value !== null && depth < DEEPEST)
    for (const [key, inner] of Object.entries(value))
      if (isGiven || !ENVELOPE_KEY.test(key))
        gather(inner, into, isSaid || SAID.test(key), isGiven || GIVEN.test(key), depth + 1);
}

/** In text that is JSON once more, quotes have backslashes before them. */
const ENVELOPE_FIELD = new RegExp(`"${ENVELOPE}"\\s*:\\s*"(?:[^"\\\\]|\\\\.)*"`, "gi");

/** A piece of JSON as nearly the text that it says. */
export function unescaped(json: string): string {
  return json
    .replace(ENVELOPE_FIELD, "")
    .replace(/\\(?:u([0-9a-f]{4})|(.))/gi, (_, code: string | undefined, character: string) =>
      code !== undefined
        ? String.fromCharCode(Number.parseInt(code, 16))
        : /[nrtbf]/.test(character)
          ? " "
          : character,
    );
}
