// Words that have to be told apart, because answers go by them.

/** The same words again get a number. */
export function distinct(words: readonly string[]): string[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return words.map((word) => {
    let name = word;
    let count = counts.get(word) ?? 1;
    while (taken.has(name)) name = `${word} (${++count})`;
    counts.set(word, count);
    taken.add(name);
    return name;
  });
}
