// Unified-diff hunks as pairs of old and new text, which is how most agents' edit tools take a change.
import type { Edit } from "../session/tools.ts";

/**
 * One edit per hunk, context lines on both sides. `old` is empty where a hunk only adds and names no context; it ends
 * with a newline where whole lines go and nothing comes in their place.
 */
export function hunkEdits(diff: string): Edit[] {
  const edits: Edit[] = [];
  let before: string[] = [];
  let after: string[] = [];
  // There is no newline behind the last line of some files.
  let isLast = false;
  const flush = () => {
    const end = before.length > 0 && after.length === 0 && !isLast ? "\n" : "";
    const edit = { old: before.join("\n") + end, new: after.join("\n") };
    if (edit.old !== edit.new || before.length !== after.length) edits.push(edit);
    before = [];
    after = [];
    isLast = false;
  };
  for (const line of withoutLastBreak(diff).split("\n")) {
    if (line.startsWith("@@")) flush();
    else if (line.startsWith("\\")) isLast = true;
    else if (line.startsWith("-")) before.push(line.slice(1));
    else if (line.startsWith("+")) after.push(line.slice(1));
    else if (line !== "*** End of File") {
      // A context line; some writers leave out the blank of an empty one.
      before.push(line.slice(1));
      after.push(line.slice(1));
    }
  }
  flush();
  return edits;
}

/** Lines that name the place of a hunk, as `@@ def f():` does. An edit has no place for them. */
export function anchorsIn(diff: string): string[] {
  return diff.split("\n").flatMap((line) => {
    const anchor = line.startsWith("@@") && !NUMBERED.test(line) ? line.slice(2).trim() : "";
    return anchor === "" ? [] : [anchor];
  });
}

const NUMBERED = /^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/;

function withoutLastBreak(diff: string): string {
  return diff.endsWith("\n") ? diff.slice(0, -1) : diff;
}
