// Makes a recording fit for the repository: the same ids, times and paths whenever and wherever it was made, and
// nothing of the vendors' prompts. Order is kept: what was smaller, earlier or the same still is.

export interface Scrubber {
  /** Text that may hold ids, times and paths; JSON stays JSON. */
  text(text: string): string;
  /** A parsed record, its long strings cut unless they belong to the conversation. */
  record(value: unknown): unknown;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-([47])[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Ids that the loopback model gave, and those of Claude's subagents, requests and shells. */
const WORDS =
  /\b(?:toolu_01|call_|msg_01|msg_|resp_|rs_|fc_|ctc_|req_|amsg_)[0-9a-f]{20,32}\b|\ba[0-9a-f]{16}\b|\b(?:[0-9a-f]{64}|[0-9a-f]{40})\b|\bChunk ID: [0-9a-f]{6}\b/g;
const TIME = /\b20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?Z?|\b20\d\d-\d\d-\d\dT\d\d-\d\d-\d\d\b/g;
const SEALS = /(?<="(?:signature|encrypted_content)":")[^"]+(?=")/g;
/** When OpenCode asks again is known beside its event, whose id has a time in it that stays. */
const EPOCH = /(?<![\d.]|"next":)1[789]\d{8}(\d{3})?(?:\.\d+)?(?!\d)/g;
/** Gemini makes the id of a call from the tool, the time and a number. */
const CALL_TIME = /(?<=[a-z]_)1[789]\d{11}(?=_\d)/g;
/** It names a file after the minute and the first letters of the id. */
const FILE = /(?<=session-)(20\d\d-\d\d-\d\dT\d\d-\d\d)-([0-9a-f]{8})(?=\.jsonl?)/g;
const SPANS = /\b(Wall time:? )[\d.]+( seconds)|("(?:duration_?ms|durationMs|time_to_first_token_ms)":)\d+/gi;
const START = Date.UTC(2026, 0, 2, 3, 4, 5);

const LONG = 200;
const KEPT = 80;

/** `everything` is all the text there is, so that names can be given in order. */
export function scrubber(
  everything: string,
  paths: ReadonlyMap<string, string>,
  spoken: readonly string[],
): Scrubber {
  const uuids = named(everything, UUID, (version, number) => {
    const tail = String(number).padStart(12, "0");
    return version === "7" ? `01a00000-0000-7000-8000-${tail}` : `00000000-0000-4000-8000-${tail}`;
  });
  const times = [...new Set(everything.match(TIME)?.map(instant))].sort((a, b) => a - b);
  const minutes = [...new Set(Array.from(everything.matchAll(FILE), ([, minute]) => minute ?? ""))].sort();
  const callTimes = [...new Set(everything.match(CALL_TIME))].sort();
  const words = new Map<string, string>();
  const seals = new Map<string, string>();

  function text(value: string): string {
    let result = value;
    for (const [from, to] of paths) result = result.replaceAll(from, to);
    return result
      .replace(/(?<=sessions\/)20\d\d\/\d\d\/\d\d(?=\/)/g, "2026/01/02")
      .replace(FILE, (_, minute, start) => `${minuteOf(minutes, minute)}-${shortId(uuids, start)}`)
      .replace(UUID, (id) => uuids.get(id) ?? id)
      .replace(WORDS, (word) => rename(words, word))
      .replace(TIME, (time) => sameShape(time, START + times.indexOf(instant(time)) * 1000))
      .replace(CALL_TIME, (time) => `call${callTimes.indexOf(time) + 1}`)
      .replace(EPOCH, (_, millis) => String(START / 1000).concat(millis ? "000" : ""))
      .replace(SPANS, (_, before = "", after = "", key = "") => (key ? `${key}0` : `${before}0.0000${after}`))
      .replace(SEALS, (seal) => sealed(seals, seal));
  }
  return { text, record: (value) => cut(value, spoken) };
}

function minuteOf(minutes: readonly string[], minute: string): string {
  return new Date(START + minutes.indexOf(minute) * 60_000).toISOString().slice(0, 16).replace(":", "-");
}

function shortId(uuids: ReadonlyMap<string, string>, start: string): string {
  const [, name] = Array.from(uuids).find(([id]) => id.startsWith(start)) ?? [];
  return name?.slice(-8) ?? start;
}

function named(
  everything: string,
  pattern: RegExp,
  name: (kind: string, number: number) => string,
): Map<string, string> {
  const found = new Map<string, string>();
  const ids = [...new Set(Array.from(everything.matchAll(pattern), ([id]) => id))];
  // Ids of version 7 begin with their time and are compared; the others are named as they come.
  const inOrder = [...ids.filter((id) => id[14] !== "7"), ...ids.filter((id) => id[14] === "7").sort()];
  for (const [at, id] of inOrder.entries()) found.set(id, name(id[14] ?? "4", at + 1));
  return found;
}

function rename(known: Map<string, string>, word: string): string {
  const digits = /[0-9a-f]+$/.exec(word)?.[0] ?? "";
  let name = known.get(word);
  if (name === undefined) {
    const prefix = word.slice(0, word.length - digits.length);
    name = prefix + String(known.size + 1).padStart(digits.length, "0");
    known.set(word, name);
  }
  return name;
}

/** Two records with the same seal still have the same one. */
function sealed(known: Map<string, string>, seal: string): string {
  if (!known.has(seal)) known.set(seal, Buffer.from(`a seal, number ${known.size + 1}`).toString("base64"));
  return known.get(seal) ?? "";
}

function instant(time: string): number {
  const [day = "", clock = ""] = time.split(/[T ]/);
  const [seconds = "", fraction = ""] = clock.replace("Z", "").split(".");
  return Date.parse(`${day}T${seconds.replaceAll("-", ":")}.${fraction.slice(0, 3).padEnd(3, "0")}Z`);
}

function sameShape(time: string, at: number): string {
  const iso = new Date(at).toISOString();
  if (/T\d\d-/.test(time))
    return iso
      .slice(0, 19)
      .replaceAll(":", "-")
      .replace(/^(\d+)-(\d+)-(\d+)/, "$1-$2-$3");
  return time.endsWith("Z") ? iso : iso.slice(0, time.length);
}

/** Enough to tell what it is; an element stays one. */
export function shortened(text: string): string {
  const [end = ""] = /<\/[\w-]+>\s*$/.exec(text) ?? [];
  return text.length <= LONG ? text : `${text.slice(0, KEPT)}…${end}`;
}

/** Where the vendors keep their prompts: of a list of them one is enough to show that there is one. */
const PROMPTS = new Set(["system", "systemPrompt", "tools", "instructions"]);

function cut(value: unknown, spoken: readonly string[]): unknown {
  if (typeof value === "string") {
    const isOurs =
      value.length <= LONG || spoken.some((text) => text.includes(value) || value.includes(text));
    return isOurs ? value : shortened(value);
  }
  if (Array.isArray(value)) return value.map((item) => cut(item, spoken));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).filter(([key]) => key !== "base_instructions");
  return Object.fromEntries(
    fields.map(([key, item]) => {
      const kept = PROMPTS.has(key) && Array.isArray(item) ? item.slice(0, 1) : item;
      return [key, cut(kept, spoken)];
    }),
  );
}
