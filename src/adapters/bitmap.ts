// A set of small numbers, a bit for each.

export function bitmap() {
  let words = new Uint32Array(1024);
  return {
    set(index: number) {
      const word = index >>> 5;
      if (word >= words.length) {
        const larger = new Uint32Array(Math.max(word + 1, words.length * 2));
        larger.set(words);
        words = larger;
      }
      words[word] = (words[word] ?? 0) | (1 << (index & 31));
    },
    has: (index: number) => (((words[index >>> 5] ?? 0) >>> (index & 31)) & 1) === 1,
  };
}
