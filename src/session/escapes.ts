// Terminal escape sequences in recorded text: whoever prints a session takes them out, because they could move
// the cursor, retitle the terminal or hide what was done.

/** A pattern's source: colours and moves of the cursor, titles and links, sets of characters. */
export const SEQUENCES = String.raw`\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]+[0-~]`;
const WHOLE = new RegExp(SEQUENCES, "g");

/** The text without whole sequences; control characters that stand alone stay. */
export function withoutSequences(text: string): string {
  return text.replace(WHOLE, "");
}

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** No sequence and no control character but tab and newline. */
export function withoutControls(text: string): string {
  if (text.search(CONTROLS) === -1) return text;
  return withoutSequences(text).replace(/\r\n?/g, "\n").replace(CONTROLS, "");
}

/** The same for JSON: every control character as JSON's own escape, so that the document means the same. */
export function escapedControls(text: string): string {
  return text.replace(/\r\n|[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, (character) =>
    character === "\r\n" ? character : `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
