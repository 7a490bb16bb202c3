// JSON as the text that it is: where values stand in it, and other values in their place. What is not named stays as
// it was written, with numbers that no double holds and names that occur twice.

export interface Member {
  name: string;
  /** From the name's first quote to behind the value. */
  start: number;
  value: number;
  end: number;
}

/** The members of an object whose text begins at `at`; none where it is no object. The text has to be JSON. */
export function members(json: string, at = 0): Member[] {
  const found: Member[] = [];
  let here = blanks(json, at);
  if (json[here] !== "{") return found;
  here = blanks(json, here + 1);
  while (json[here] === '"') {
    const start = here;
    const colon = blanks(json, stringEnd(json, start));
    const name = JSON.parse(json.slice(start, stringEnd(json, start))) as string;
    const value = blanks(json, colon + 1);
    const end = valueEnd(json, value);
    found.push({ name, start, value, end });
    here = blanks(json, blanks(json, end) + 1);
  }
  return found;
}

/** Where the elements of a list begin and end. */
export function elements(json: string, at = 0): [start: number, end: number][] {
  const found: [number, number][] = [];
  let here = blanks(json, at);
  if (json[here] !== "[") return found;
  here = blanks(json, here + 1);
  while (here < json.length && json[here] !== "]") {
    const end = valueEnd(json, here);
    found.push([here, end]);
    here = blanks(json, end);
    if (json[here] === ",") here = blanks(json, here + 1);
  }
  return found;
}

/** The text of the member of that name; of several the last one, as for everybody who reads JSON. */
export function memberText(json: string, name: string): string | undefined {
  const found = members(json).findLast((member) => member.name === name);
  return found && json.slice(found.value, found.end);
}

/** The object with another value under a name, in its place or at the end. */
export function withMember(json: string, name: string, text: string): string {
  const all = members(json);
  const named = all.filter((member) => member.name === name);
  let changed = json;
  for (const { value, end } of named.reverse()) changed = changed.slice(0, value) + text + changed.slice(end);
  if (named.length > 0) return changed;
  const close = json.lastIndexOf("}");
  const comma = all.length > 0 ? "," : "";
  return `${json.slice(0, close)}${comma}${JSON.stringify(name)}:${text}${json.slice(close)}`;
}

export function withoutMembers(json: string, names: readonly string[]): string {
  const all = members(json);
  const kept = all.filter(({ name }) => !names.includes(name));
  if (kept.length === all.length) return json;
  return `{${kept.map(({ start, end }) => json.slice(start, end)).join(",")}}`;
}

const BLANK = /[ \t\n\r]*/y;

function blanks(json: string, at: number): number {
  BLANK.lastIndex = at;
  BLANK.exec(json);
  return BLANK.lastIndex;
}

/** Behind the closing quote of the string that begins at `at`. */
function stringEnd(json: string, at: number): number {
  for (let quote = json.indexOf('"', at + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let slash = quote;
    while (json[slash - 1] === "\\") slash--;
    if ((quote - slash) % 2 === 0) return quote + 1;
  }
  return json.length;
}

const STRUCTURE = /["{}[\]]/g;
const PLAIN = /[^,\]}\s]*/y;

function valueEnd(json: string, at: number): number {
  if (json[at] === '"') return stringEnd(json, at);
  if (json[at] !== "{" && json[at] !== "[") {
    PLAIN.lastIndex = at;
    PLAIN.exec(json);
    return PLAIN.lastIndex;
  }
  let depth = 0;
  STRUCTURE.lastIndex = at;
  for (let found = STRUCTURE.exec(json); found; found = STRUCTURE.exec(json)) {
    if (found[0] === '"') STRUCTURE.lastIndex = stringEnd(json, found.index);
    else depth += found[0] === "{" || found[0] === "[" ? 1 : -1;
    if (depth === 0) return found.index + 1;
  }
  return json.length;
}
