// Words that have to be told apart, because answers go by them.

/** The same words again get a number. */
export function distinct(words: readonly string[]): string[] {
  const taken = new Set<string>();
  return words.map((word) => {
    let name = word;
    for (let count = 2; taken.has(name); count++) name = `${word} (${count})`;
    taken.add(name);
    return name;
  });
}
