// Edits in the shape the CLI keeps for its own display.
import type { Edit } from "../../session/tools.ts";

export interface Hunk {
  oldStart: number;
  oldLines: number;
  newStart: number;
  newLines: number;
  lines: string[];
}

/** Hunks in the shape the CLI keeps for its own display. */
export function structuredPatch(edit: Edit): Hunk[] {
  const removed = edit.old === "" ? [] : edit.old.split("\n");
  const added = edit.new === "" ? [] : edit.new.split("\n");
  return [
    {
      oldStart: 1,
      oldLines: removed.length,
      newStart: 1,
      newLines: added.length,
      lines: [...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)],
    },
  ];
}
