// When a wait is over that an agent or its vendor speaks of in a sentence: "try again in 20s", "resets 3pm
// (Europe/Berlin)", "limit reached|1730000000".

/** A vendor's answer may be a whole page. */
const LONGEST = 2000;

/** In milliseconds since 1970; `at`: when it was said. Undefined where the sentence names no end. */
export function endOfWait(said: string, at: number): number | undefined {
  const text = said.slice(0, LONGEST);
  return epochIn(text) ?? instantIn(text) ?? durationIn(text, at) ?? clockIn(text, at);
}

function epochIn(said: string): number | undefined {
  const digits = /\|(\d{10}|\d{13})(?!\d)/.exec(said)?.[1];
  return digits === undefined ? undefined : Number(digits) * (digits.length === 10 ? 1000 : 1);
}

const AGAIN = String.raw`\b(?:resets?|try(?:ing)? again|retry(?:ing)?|available(?: again)?|wait)\b`;
const INSTANT = new RegExp(String.raw`${AGAIN}\D{0,20}(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:?\d\d))`, "i");

function instantIn(said: string): number | undefined {
  const time = Date.parse(INSTANT.exec(said)?.[1] ?? "");
  return Number.isNaN(time) ? undefined : time;
}

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};
const PIECE = String.raw`(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?)(?![a-z])`;
const DURATION = new RegExp(
  String.raw`${AGAIN}[^.\d]{0,40}?[-\s](?:in|after|for)\W{1,3}(?:about\s+)?((?:${PIECE}[\s,]*(?:and\s+)?)+)`,
  "i",
);
const SECONDS = /\b(?:try again|retry)[-\s](?:in|after)\W{1,3}(\d+(?:\.\d+)?)(?!\s*[\w:.])/i;

function durationIn(said: string, at: number): number | undefined {
  const pieces = DURATION.exec(said)?.[1];
  if (pieces === undefined) {
    const seconds = SECONDS.exec(said)?.[1];
    return seconds === undefined ? undefined : at + Number(seconds) * 1000;
  }
  let sum = 0;
  for (const [, amount, unit = ""] of pieces.matchAll(new RegExp(PIECE, "gi")))
    sum += Number(amount) * (UNITS[/^m(?:s|illi)/i.test(unit) ? "ms" : unit.charAt(0).toLowerCase()] ?? 0);
  return at + sum;
}

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY = String.raw`(?<month>${MONTHS.join("|")})[a-z]*\.?\s+(?<day>\d{1,2})(?:st|nd|rd|th)?(?:,?\s+(?<year>\d{4}))?`;
const TIME = String.raw`(?:(?<hour>\d{1,2})(?::(?<minute>\d\d))?\s*(?<half>[ap])\.?m\b|(?<hour24>\d{1,2}):(?<minute24>\d\d))`;
const ZONE = String.raw`(?:\s*\(?(?<zone>UTC|GMT(?:[+-]\d{1,2}(?::\d\d)?)?|[A-Z]\w+(?:\/[\w+-]+)+)\)?)?`;
const CLOCK = new RegExp(
  String.raw`${AGAIN}\s+(?:at\s+|on\s+)?(?:${DAY}(?:,?\s+(?:at\s+)?${TIME})?|${TIME.replaceAll("?<", "?<only_")})${ZONE}`,
  "i",
);

/** A little before `at` is now: the sentence leaves out the seconds. */
const SLACK_MS = 60_000;
const DAY_MS = UNITS.d as number;

/** A time of day, or a day with or without one, in the zone that is named or else the machine's own. */
function clockIn(said: string, at: number): number | undefined {
  const found = CLOCK.exec(said)?.groups;
  if (!found) return undefined;
  const part = (name: string): string | undefined => found[name] ?? found[`only_${name}`];
  const half = part("half")?.toLowerCase();
  const stated = Number(part("hour") ?? part("hour24") ?? 0);
  const hour = half === undefined ? stated : (stated % 12) + (half === "p" ? 12 : 0);
  const minute = Number(part("minute") ?? part("minute24") ?? 0);
  const zone = zoneOf(found.zone);
  const today = dayOf(at, zone);
  if (found.month === undefined) {
    const time = instantOf({ ...today, hour, minute }, zone);
    return time < at - SLACK_MS ? instantOf({ ...today, day: today.day + 1, hour, minute }, zone) : time;
  }
  const month = MONTHS.indexOf(found.month.toLowerCase());
  const date = { year: Number(found.year ?? today.year), month, day: Number(found.day), hour, minute };
  const time = instantOf(date, zone);
  const isNextYear = found.year === undefined && time < at - DAY_MS;
  return isNextYear ? instantOf({ ...date, year: date.year + 1 }, zone) : time;
}

function zoneOf(named: string | undefined): string | undefined {
  if (named === undefined) return undefined;
  const [, sign, hours, minutes] = /^GMT([+-])(\d{1,2})(?::(\d\d))?$/i.exec(named) ?? [];
  const zone =
    sign === undefined || hours === undefined
      ? named.replace(/^GMT$/i, "UTC")
      : `${sign}${hours.padStart(2, "0")}:${minutes ?? "00"}`;
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    // A zone that nobody knows: the agent names the machine's own.
    return undefined;
  }
}

interface Day {
  year: number;
  month: number;
  day: number;
}

function dayOf(at: number, zone: string | undefined): Day {
  const local = new Date(at + offsetAt(at, zone));
  return { year: local.getUTCFullYear(), month: local.getUTCMonth(), day: local.getUTCDate() };
}

type Moment = Day & { hour: number; minute: number };

function instantOf({ year, month, day, hour, minute }: Moment, zone: string | undefined): number {
  const local = Date.UTC(year, month, day, hour, minute);
  // The second look is for a change of the clocks in between.
  const guess = local - offsetAt(local, zone);
  return local - offsetAt(guess, zone);
}

/** How far a zone's clocks are ahead, in milliseconds. */
function offsetAt(time: number, zone: string | undefined): number {
  const format = new Intl.DateTimeFormat("en-US", {
    ...(zone !== undefined && { timeZone: zone }),
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  });
  const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  const of = (type: Intl.DateTimeFormatPartTypes): number => parts.get(type) ?? 0;
  const local = Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"));
  return local - Math.floor(time / SLACK_MS) * SLACK_MS;
}
