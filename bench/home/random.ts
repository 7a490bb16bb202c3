// Chance that repeats itself: the same seed gives the same numbers, so a corpus has the same bytes on every machine.

export type Random = () => number;

/** A small repeatable random generator (mulberry32). */
export function generator(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function pick<T>(random: Random, all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T;
}

export function whole(random: Random, from: number, to: number): number {
  return from + Math.floor(random() * (to - from + 1));
}

const HEX = "0123456789abcdef";
const LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

export const hex = (random: Random, length: number): string => of(random, HEX, length);
export const letters = (random: Random, length: number): string => of(random, LETTERS, length);

function of(random: Random, alphabet: string, length: number): string {
  let text = "";
  for (let at = 0; at < length; at++) text += alphabet[Math.floor(random() * alphabet.length)];
  return text;
}

/** Bytes that do not compress, as in images and signatures. */
export function base64(random: Random, length: number): string {
  const text = Buffer.allocUnsafe(length - (length % 4));
  for (let at = 0; at < text.length; at++) text[at] = BASE64.charCodeAt(Math.floor(random() * 64));
  return text.toString("latin1");
}

export function uuid(random: Random): string {
  const all = hex(random, 32);
  return `${all.slice(0, 8)}-${all.slice(8, 12)}-4${all.slice(13, 16)}-8${all.slice(17, 20)}-${all.slice(20)}`;
}

/** The value below which a share of all normally distributed numbers lies (Acklam's approximation). */
export function normalQuantile(share: number): number {
  if (share > 0.5) return -normalQuantile(1 - share);
  if (share > 0.02425) {
    const q = share - 0.5;
    const r = q * q;
    return (
      ((((((-39.69683028665376 * r + 220.9460984245205) * r - 275.9285104469687) * r + 138.357751867269) * r -
        30.66479806614716) *
        r +
        2.506628277459239) *
        q) /
      (((((-54.47609879822406 * r + 161.5858368580409) * r - 155.6989798598866) * r + 66.80131188771972) * r -
        13.28068155288572) *
        r +
        1)
    );
  }
  const q = Math.sqrt(-2 * Math.log(share));
  return (
    (((((-0.007784894002430293 * q - 0.3223964580411365) * q - 2.400758277161838) * q - 2.549732539343734) *
      q +
      4.374664141464968) *
      q +
      2.938163982698783) /
    ((((0.007784695709041462 * q + 0.3224671290700398) * q + 2.445134137142996) * q + 3.754408661907416) * q +
      1)
  );
}
