// Secrets that only their name gives away: `DB_PASSWORD=…`, `"apiKey": "…"`, `--token …`. A name alone is not enough,
// because code is full of it (`password: string`), so the value has to look like a secret as well.
import { type Found, hasDigit } from "./redact-patterns.ts";

/** Plain words first, so that looking for them is fast; what stands before them is looked at when one is found. */
const WORD = "pass(?:word|wd|phrase|code)?|pwd|secret|token|key|credentials?|_auth";
const BEHIND = String.raw`(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?)?(?:[_-](?:prod(?:uction)?|dev(?:elopment)?|staging|test|live|value|base64|b64|old|new))?(?:[_-]?v?\d{1,3})?`;
const NAME = `(?<name>(?:${WORD})${BEHIND})`;
const TYPE = String.raw`(?::[ \t]{0,4}[A-Za-z][\w.<>[\]|?]{0,40}[ \t]{0,4}(?==))?`;
const BETWEEN = String.raw`\\{0,3}["'\`\]]{0,2}[ \t]{0,8}${TYPE}(?<sign>=>|:=|={1,3}|:)[ \t]{0,8}`;
const QUOTED = String.raw`(?<quote>["'\`])(?<quoted>(?:(?!\k<quote>)[^\\\r\n]|\\.){1,4096})`;
const ESCAPED = String.raw`\\{1,3}["'\`](?<escaped>[^"'\`\\\r\n]{1,4096})`;
const BARE = String.raw`(?<bare>[^\s\0"'\`,;&|<>(){}[\]\\]{4,4096})`;

const ASSIGNED = new RegExp(`${NAME}${BETWEEN}(?:${QUOTED}|${ESCAPED}|${BARE})`, "gi");
const GIVEN = new RegExp(String.raw`${NAME}[ \t]{1,4}(?:${QUOTED}|${BARE})`, "gi");
const OPTION = /(?:^|[\s"'`])--?[A-Za-z0-9-]{0,40}$/;
const USER = /:\/\/[^\s/]{0,40}$/;
const NAMED = new RegExp(`${NAME}$`, "i");

export function* namedSecrets(text: string): Generator<Found> {
  if (text.includes("=") || text.includes(":"))
    for (const match of text.matchAll(ASSIGNED)) yield* accepted(text, match);
  if (!text.includes("--")) return;
  for (const match of text.matchAll(GIVEN))
    if (OPTION.test(text.slice(Math.max(0, match.index - 48), match.index))) yield* accepted(text, match);
}

/** The kind of a value that stands under a name of its own, as in an object. */
export function kindOfNamed(name: string, value: string): string | undefined {
  if (value.length < SHORTEST) return undefined;
  const found = NAMED.exec(name);
  const word = found?.groups?.name ?? "";
  if (!found || !isSecretName(word, name.slice(0, found.index))) return undefined;
  const isSecret =
    looksSecret({ name: word, value, isQuoted: true, isVariable: false }) || isWord(word, value);
  return isSecret ? kindOf(word) : undefined;
}

/** No shorter one is taken for a secret, see looksSecret. */
const SHORTEST = 6;

/** What a field says of itself: its type, or that it has none. */
const SAYS_WHAT =
  /^(?:string|text|password|passphrase|secret|number|boolean|input|varchar|hash(?:ed)?|plain(?:text)?|encrypted|bearer|basic|none|hidden|missing|invalid|expired|forgot(?:ten)?)$/i;

/** In code a word is a variable or a type; as the password of an object it is the password. */
function isWord(name: string, value: string): boolean {
  if (!/^pass(?:word|wd|phrase|code)/i.test(name) || !WORDS.test(value) || /\s/.test(value)) return false;
  return !STAND_IN.test(value) && !SAYS_WHAT.test(value) && value.toLowerCase() !== name.toLowerCase();
}

function* accepted(text: string, match: RegExpExecArray): Generator<Found> {
  const { name = "", sign = "", quoted, escaped, bare } = match.groups ?? {};
  const before = text.slice(Math.max(0, match.index - 48), match.index);
  // In an address it is the name of a user, and redact-patterns.ts knows where the password ends.
  if (!isSecretName(name, before) || (sign === ":" && USER.test(before))) return;
  const value = quoted ?? escaped ?? bare ?? "";
  const to = match.index + match[0].length;
  const next = text[to];
  // A call or an element of something is an expression.
  if (bare !== undefined && (next === "(" || next === "[")) return;
  const isVariable = sign === "=" && name === name.toUpperCase() && match[0].startsWith(`${name}=`);
  if (looksSecret({ name, value, isQuoted: bare === undefined, isVariable }))
    yield { kind: kindOf(name), from: to - value.length, to };
}

const SECRET_KEY =
  /(?:api|access|account|auth|client|encryption|master|private|service|shared|signing|subscription)[_-]?$/i;
/** Where a page or a stream goes on. */
const NO_TOKEN = /(?:page|next|continuation|cancellation|sync)[_-]?$/i;

/** Whether the word means a secret behind what stands before it. */
function isSecretName(word: string, before: string): boolean {
  if (/^key/i.test(word)) return SECRET_KEY.test(before);
  if (/^token/i.test(word)) return !NO_TOKEN.test(before);
  if (/^pass(?!w|p|c)/i.test(word)) return !/[A-Za-z]$/.test(before);
  return !/^_auth/i.test(word) || !/[A-Za-z]$/.test(before);
}

function kindOf(name: string): string {
  if (/^(?:pass|pwd)/i.test(name)) return "password";
  if (/^token/i.test(name)) return "token";
  return /^secret/i.test(name) ? "secret" : "key";
}

interface Value {
  name: string;
  value: string;
  isQuoted: boolean;
  /** As in an environment: `NAME=value`, where everything is meant literally. */
  isVariable: boolean;
}

/** Stands for a secret: a variable, a template, a mask, a word that says so. */
const STAND_IN =
  /^(?:\$[A-Z_{(]|\$[a-z_]+$|[<{[*%]|\.\.\.|@|your[-_ A-Z]|(.)\1+$|(?:example|sample|dummy|change_?me|placeholder|todo|none|null|nil|undefined|true|false|redacted|hidden|required|optional|unknown|default)$)|\$\{|\{\{|<[a-z-]+>|process\.env|environ/i;
const PATH = /^(?:\.{1,2}|~)?\/[\w.-]+(?:\/[\w.@-]+)*\/?$/;
const ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;
const EXPRESSION = /^!*[A-Za-z_$][\w$]*(?:[?!]?\.[A-Za-z_$][\w$]*)*[?!]?$/;
const WORDS = /^[A-Za-z]+(?:[-_. ][A-Za-z]+)*$/;

function looksSecret({ name, value, isQuoted, isVariable }: Value): boolean {
  const isPassword = /^(?:pass|pwd|secret)/i.test(name);
  if (value.length < (isPassword ? (isVariable ? 4 : 6) : 8)) return false;
  if (STAND_IN.test(value) || ADDRESS.test(value) || /\s/.test(value)) return false;
  if (/^\d+$/.test(value)) return /^(?:pass|pwd)/i.test(name) && value.length >= 6;
  if (PATH.test(value) && !isRandom(value)) return false;
  if (isVariable) return !isDotted(value);
  // Without quotes it may be a variable, of which many are written in humps.
  if (WORDS.test(value)) return isRandom(value, isPassword && isQuoted ? SHORTEST_RANDOM : LONG);
  if (!isQuoted && EXPRESSION.test(value)) return isNoVariable(value, name, isPassword);
  return hasDigit(value) || /[!@#$%^&*+/=?~]/.test(value);
}

/** A variable may have a digit in its name too: `token2`, `config.apiKey1`. */
function isNoVariable(value: string, name: string, isPassword: boolean): boolean {
  if (isDotted(value) || !hasDigit(value)) return false;
  const stem = name.replace(/[^a-z].*$/i, "").toLowerCase();
  return !value.toLowerCase().startsWith(stem) && (isPassword || value.length >= 12);
}

function isDotted(value: string): boolean {
  return value.includes(".") && EXPRESSION.test(value) && !isRandom(value);
}

const LONG = 20;
/** Beside a name that says that it is a password fewer letters are enough. */
const SHORTEST_RANDOM = 8;

/** Letters of both cases and digits in no order that a name would have, and many of them. */
export function isRandom(value: string, least = LONG): boolean {
  if (value.length < least) return false;
  const turns = value.match(/[a-z][A-Z]|[A-Z]{2}[a-z]|\d[A-Za-z]|[A-Za-z]\d/g)?.length ?? 0;
  return turns * 4 >= value.length;
}
