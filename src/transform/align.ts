// Which prompts of two sessions belong together: the alignment, in order, whose pairs are most alike. What has no
// counterpart stands alone.

export interface Pair {
  /** Places in the two lists; absent = no counterpart. */
  a?: number;
  b?: number;
  /** 1 = the same, 0 for what stands alone. */
  similarity: number;
}

/** Less alike than this is another prompt. */
const LEAST = 0.5;
/** How many prompts are held against each other at once, at most, when nothing between them is the same. */
const BLOCK = 400;

export function align(a: readonly string[], b: readonly string[]): Pair[] {
  const left = a.map(signatureOf);
  const right = b.map(signatureOf);
  const pairs: Pair[] = [];
  let x = 0;
  let y = 0;
  for (const [nextX, nextY] of [...anchors(left, right), [left.length, right.length] as const]) {
    pairs.push(...between(left.slice(x, nextX), right.slice(y, nextY)).map((pair) => moved(pair, x, y)));
    if (nextX < left.length) pairs.push({ a: nextX, b: nextY, similarity: 1 });
    x = nextX + 1;
    y = nextY + 1;
  }
  return pairs;
}

/** Prompts that each side has once, as many as come in the same order: they divide the work, whatever its size. */
function anchors(left: readonly Signature[], right: readonly Signature[]): [number, number][] {
  const places = onceIn(right);
  const common: [number, number][] = [];
  for (const [text, x] of onceIn(left)) {
    const y = places.get(text);
    if (y !== undefined) common.push([x, y]);
  }
  return longestRising(common);
}

function onceIn(signatures: readonly Signature[]): Map<string, number> {
  const places = new Map<string, number>();
  const again = new Set<string>();
  for (const [at, { text }] of signatures.entries()) {
    if (places.has(text)) again.add(text);
    places.set(text, at);
  }
  for (const text of again) places.delete(text);
  return new Map([...places].toSorted(([, one], [, other]) => one - other));
}

/** The first places rise already; the longest run in which the second ones do too. */
function longestRising(pairs: readonly (readonly [number, number])[]): [number, number][] {
  const ends: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  const second = (at: number | undefined) => pairs[at ?? -1]?.[1] ?? Number.POSITIVE_INFINITY;
  for (const at of pairs.keys()) {
    let low = 0;
    for (let high = ends.length; low < high; ) {
      const middle = (low + high) >> 1;
      if (second(ends[middle]) < second(at)) low = middle + 1;
      else high = middle;
    }
    before[at] = ends[low - 1] ?? -1;
    ends[low] = at;
  }
  const found: [number, number][] = [];
  for (let at = ends.at(-1) ?? -1; at !== -1; at = before[at] ?? -1) {
    const [x = 0, y = 0] = pairs[at] ?? [];
    found.push([x, y]);
  }
  return found.reverse();
}

function moved({ a, b, similarity }: Pair, x: number, y: number): Pair {
  return { ...(a !== undefined && { a: a + x }), ...(b !== undefined && { b: b + y }), similarity };
}

/** What is the same at both ends is set aside, the rest is weighed; too much of it is divided evenly. */
function between(left: readonly Signature[], right: readonly Signature[]): Pair[] {
  const shorter = Math.min(left.length, right.length);
  const isSame = (x: number, y: number) => left[x]?.text === right[y]?.text;
  let begin = 0;
  while (begin < shorter && isSame(begin, begin)) begin++;
  let end = 0;
  while (end < shorter - begin && isSame(left.length - 1 - end, right.length - 1 - end)) end++;
  const pairs = Array.from({ length: begin }, (_, at): Pair => ({ a: at, b: at, similarity: 1 }));
  const height = left.length - begin - end;
  const length = right.length - begin - end;
  const blocks = Math.max(1, Math.ceil(Math.max(height, length) / BLOCK));
  for (let block = 0; block < blocks; block++) {
    const [x, nextX] = [block, block + 1].map((at) => begin + Math.floor((at * height) / blocks)) as [
      number,
      number,
    ];
    const [y, nextY] = [block, block + 1].map((at) => begin + Math.floor((at * length) / blocks)) as [
      number,
      number,
    ];
    pairs.push(...aligned(left.slice(x, nextX), right.slice(y, nextY)).map((pair) => moved(pair, x, y)));
  }
  for (let at = end; at > 0; at--) pairs.push({ a: left.length - at, b: right.length - at, similarity: 1 });
  return pairs;
}

/** Needleman-Wunsch without a price for gaps, so it is the longest common subsequence, weighted by likeness. */
function aligned(left: readonly Signature[], right: readonly Signature[]): Pair[] {
  const width = right.length + 1;
  const score = new Float32Array((left.length + 1) * width);
  const likeness = new Float32Array((left.length + 1) * width);
  const at = (x: number, y: number) => score[x * width + y] ?? 0;
  for (const [x, one] of left.entries()) {
    for (const [y, other] of right.entries()) {
      const here = (x + 1) * width + y + 1;
      const like = similarity(one, other);
      likeness[here] = like >= LEAST ? like : 0;
      const together = like >= LEAST ? at(x, y) + like : 0;
      score[here] = Math.max(together, at(x, y + 1), at(x + 1, y));
    }
  }
  return traced(left.length, right.length, at, (x, y) => likeness[x * width + y] ?? 0);
}

function traced(
  height: number,
  length: number,
  score: (x: number, y: number) => number,
  likeness: (x: number, y: number) => number,
): Pair[] {
  const pairs: Pair[] = [];
  let x = height;
  let y = length;
  while (x > 0 || y > 0) {
    const like = x > 0 && y > 0 ? likeness(x, y) : 0;
    if (like > 0 && score(x, y) === Math.fround(score(x - 1, y - 1) + like)) {
      pairs.push({ a: --x, b: --y, similarity: like });
    } else if (y > 0 && (x === 0 || score(x, y) === score(x, y - 1))) {
      pairs.push({ b: --y, similarity: 0 });
    } else pairs.push({ a: --x, similarity: 0 });
  }
  return pairs.reverse();
}

interface Signature {
  text: string;
  /** Hashes of every three characters in a row, in order, each once: works in every script. */
  threes: Int32Array;
}

const LONGEST = 600;

function signatureOf(prompt: string): Signature {
  const text = prompt.normalize("NFKC").toLowerCase().replace(/\s+/gu, " ").trim();
  const threes = new Set<number>();
  const beginning = ` ${text.slice(0, LONGEST)} `;
  for (let at = 0; at + 3 <= beginning.length; at++) {
    const [one, two, three] = [0, 1, 2].map((step) => beginning.charCodeAt(at + step));
    threes.add((Math.imul(one ?? 0, 961) + Math.imul(two ?? 0, 31) + (three ?? 0)) | 0);
  }
  return { text, threes: Int32Array.from(threes).sort() };
}

/** A prompt that something was put before or behind is still the same one. */
const CONTAINED = 0.9;
const SHORTEST_CONTAINED = 8;

function similarity(one: Signature, other: Signature): number {
  if (one.text === other.text) return 1;
  const [short, long] = one.text.length < other.text.length ? [one, other] : [other, one];
  if (short.text.length >= SHORTEST_CONTAINED && long.text.includes(short.text)) return CONTAINED;
  const sizes = one.threes.length + other.threes.length;
  // Even if all of the smaller one were in the larger one.
  if ((2 * Math.min(one.threes.length, other.threes.length)) / sizes < LEAST) return 0;
  return (2 * shared(one.threes, other.threes)) / sizes;
}

function shared(one: Int32Array, other: Int32Array): number {
  let count = 0;
  for (let x = 0, y = 0; x < one.length && y < other.length; ) {
    const [left = 0, right = 0] = [one[x], other[y]];
    if (left === right) count++;
    if (left <= right) x++;
    if (right <= left) y++;
  }
  return count;
}
