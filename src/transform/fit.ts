// A text of sections that fits into so many tokens: every section gives up its oldest lines first and says how many,
// and where even that is too much, the least important sections go.

export interface Section {
  title: string;
  lines: readonly string[];
  /** How many lines are gone already. */
  lost?: number;
  /** The last lines go first: for a text whose beginning matters most. */
  fromEnd?: boolean;
  /** What a note among its lines begins with. */
  mark?: string;
  /** The lower, the longer it stays. */
  rank: number;
}

export interface Limit {
  tokens: number;
  count: (text: string) => number;
}

/** Sections in the order in which they are given, those without lines left out. Never more tokens than the limit. */
export function fitted(sections: readonly Section[], limit: Limit): string {
  const full = sections.filter(({ lines }) => lines.length > 0);
  const whole = printed(full.map((section) => ({ section, kept: section.lines })));
  if (limit.count(whole) <= limit.tokens) return whole;
  const measured = full.map((section) => measure(section, limit));
  // What lines cost one by one is not quite what they cost together.
  for (let budget = limit.tokens; budget >= 1; budget *= 0.8) {
    const text = within(measured, Math.floor(budget), limit);
    if (limit.count(text) <= limit.tokens) return text;
  }
  return "";
}

/** The longest beginning that has at most so many tokens, with a mark that it goes on; empty where not even that has. */
export function cutToTokens(text: string, { tokens, count }: Limit): string {
  if (count(text) <= tokens) return text;
  let fits = 0;
  let long = text.length;
  while (long - fits > 1) {
    const middle = Math.floor((fits + long) / 2);
    if (count(beginning(text, middle)) <= tokens) fits = middle;
    else long = middle;
  }
  return fits === 0 ? "" : beginning(text, fits);
}

/** Half a surrogate pair at the end is left out. */
function beginning(text: string, length: number): string {
  return `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
}

interface Measured {
  section: Section;
  /** Of heading and note. */
  frame: number;
  /** Of each line. */
  costs: number[];
  total: number;
}

function measure(section: Section, { count }: Limit): Measured {
  const costs = section.lines.map((line) => count(`${line}\n`));
  // A single line needs no note on others.
  const isAlone = section.lines.length === 1 && !section.lost;
  const frame = count(`${heading(section)}\n\n`) + (isAlone ? 0 : count(`${note(section, 9999)}\n`));
  return { section, frame, costs, total: frame + sum(costs) };
}

/** With the lines that the budget has room for, and a last one on the sections that are missing altogether. */
function within(measured: readonly Measured[], budget: number, limit: Limit): string {
  const chosen = choose(measured, budget);
  const inOrder = measured.filter((one) => chosen.includes(one));
  const least = inOrder.map(leastOf);
  const missing = missingLine(measured.filter((one) => !chosen.includes(one)));
  const more = limit.count(`\n\n${missing}`);
  const hasRoom = missing !== "" && more + sum(least) <= budget;
  const shares = shared(least, inOrder, hasRoom ? budget - more : budget);
  const text = printed(
    inOrder.map((one, at) => ({ section: one.section, kept: keep(one, shares[at] ?? 0, limit) })),
  );
  return hasRoom ? `${text}\n\n${missing}` : text;
}

/** The most important ones of which at least a line can be told; the first one in any case. */
function choose(measured: readonly Measured[], budget: number): Measured[] {
  const chosen: Measured[] = [];
  let taken = 0;
  for (const one of measured.toSorted((a, b) => a.section.rank - b.section.rank)) {
    if (chosen.length > 0 && taken + leastOf(one) > budget) continue;
    chosen.push(one);
    taken += leastOf(one);
  }
  return chosen;
}

/** What heading, note and one line cost. */
function leastOf({ section, frame, costs }: Measured): number {
  return frame + ((section.fromEnd ? costs[0] : costs.at(-1)) ?? 0);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

function missingLine(missing: readonly Measured[]): string {
  if (missing.length === 0) return "";
  const names = missing.map(({ section: { title, lines, lost = 0 } }) => `${title} (${lines.length + lost})`);
  return `[Left out for length: ${names.join(", ")}]`;
}

/** Everybody gets the least; what is left goes to all alike, and whoever needs less leaves the rest to the others. */
function shared(least: readonly number[], measured: readonly Measured[], budget: number): number[] {
  const given = least.map((one) => Math.min(one, budget));
  let rest = budget - sum(least);
  let open = measured.map((_, at) => at);
  while (open.length > 0 && rest > 0) {
    const each = rest / open.length;
    const wanted = (at: number) => (measured[at]?.total ?? 0) - (given[at] ?? 0);
    const content = open.filter((at) => wanted(at) <= each);
    for (const at of content.length > 0 ? content : open) {
      const more = content.length > 0 ? Math.max(0, wanted(at)) : each;
      given[at] = (given[at] ?? 0) + more;
      rest -= more;
    }
    if (content.length === 0) break;
    open = open.filter((at) => !content.includes(at));
  }
  return given;
}

function keep({ section, frame, costs }: Measured, share: number, limit: Limit): string[] {
  const { lines, fromEnd } = section;
  let room = share - frame;
  const kept: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const index = fromEnd ? at : lines.length - 1 - at;
    room -= costs[index] ?? 0;
    if (room < 0) break;
    kept.push(lines[index] as string);
  }
  if (kept.length > 0) return fromEnd ? kept : kept.reverse();
  // One line that is too long is the only thing that is cut.
  const line = (fromEnd ? lines[0] : lines.at(-1)) ?? "";
  const cut = cutToTokens(line, { ...limit, tokens: share - frame });
  return cut === "" ? [] : [cut];
}

function printed(sections: readonly { section: Section; kept: readonly string[] }[]): string {
  return sections
    .filter(({ kept }) => kept.length > 0)
    .map(({ section, kept }) => {
      const missing = section.lines.length - kept.length + (section.lost ?? 0);
      const notes = missing === 0 ? [] : [note(section, missing)];
      const lines = section.fromEnd ? [...kept, ...notes] : [...notes, ...kept];
      return [heading(section), ...lines].join("\n");
    })
    .join("\n\n");
}

function heading({ title }: Section): string {
  return `## ${title}`;
}

function note({ fromEnd, mark = "- " }: Section, count: number): string {
  return `${mark}[… ${count} ${fromEnd ? "more" : "earlier"} left out]`;
}
