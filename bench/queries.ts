// What people look for, in the words of the generated homes: rare words, common ones, phrases, several words at once,
// beginnings of words, Chinese and Japanese. The same queries every time.
import { generator, pick, type Random, whole } from "./home/random.ts";
import { rareWord, word } from "./home/words.ts";

export type QueryKind = "rare" | "common" | "phrase" | "several" | "prefix" | "cjk";

const COMMON = "the error function test file session merge commit config buffer index parse".split(" ");

/** Phrases and foreign words are taken from texts that are there: the titles, which are beginnings of prompts. */
export function queriesFor(titles: readonly string[], each: number): Record<QueryKind, string[]> {
  const random = generator(99);
  const many = (make: () => string) => Array.from({ length: each }, make);
  const spoken = titles.filter((title) => /^[a-z]+ [a-z]+ [a-z]+ /.test(title));
  const foreign = titles.filter((title) => /[\u4e00-\u9fff]{4}/.test(title));
  return {
    rare: many(() => rareWord(random)),
    common: many(() => pick(random, COMMON)),
    phrase: many(
      () =>
        `"${pick(random, spoken)
          .split(" ")
          .slice(0, whole(random, 2, 3))
          .join(" ")}"`,
    ),
    several: many(() => severalOf(random)),
    prefix: many(
      () =>
        `${rareWord(random)
          .padEnd(4, "e")
          .slice(0, whole(random, 4, 5))}*`,
    ),
    cjk: many(() => /[\u4e00-\u9fff]{2,4}/.exec(pick(random, foreign))?.[0] ?? ""),
  };
}

/** A frequent word and one that is not, or two that are neither. */
function severalOf(random: Random): string {
  return Array.from({ length: whole(random, 2, 3) }, () => word(random)).join(" ");
}
