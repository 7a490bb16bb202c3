// JSON from outside, which may be none.

/** What the text says; undefined where it is no JSON. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Whoever asks says what it is then.
    return undefined;
  }
}
