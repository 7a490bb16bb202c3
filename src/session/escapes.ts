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

/** What acts on a terminal or takes no place: controls, directions, joiners, tags. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.source;
/** Of these what belongs to an emoji, and is seen by what it looks like. */
const OF_EMOJI =
  /(?<=\p{Extended_Pictographic})\ufe0f|(?<=[0-9#*])\ufe0f(?=\u20e3)|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/u
    .source;
const HIDDEN = new RegExp(`(?!${OF_EMOJI})(?:${UNSEEN})`, "gu");

/** For whoever has to judge what a text does: every character of it can be seen, and none acts on a terminal. */
export function visible(text: string): string {
  return text.replace(HIDDEN, signOf);
}

/** The same for sequences only: they are to be seen, whole, where taking them out would hide what is inside them. */
export function visibleSequences(text: string): string {
  return text.replace(/[\u001b\u0080-\u009f]/g, signOf);
}

function signOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
}
