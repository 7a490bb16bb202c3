// Joins small pieces of text into larger ones, because a promise per piece costs more than the piece.

const LARGE = 1 << 16;

export async function* batches(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let held: string[] = [];
  let size = 0;
  for await (const piece of pieces) {
    held.push(piece);
    size += piece.length;
    if (size < LARGE) continue;
    yield held.join("");
    held = [];
    size = 0;
  }
  if (size > 0) yield held.join("");
}
