// Where things stand on a screen of a given size: what does not fit is left out, the list last.
import type { Size } from "../screen.ts";

export interface Layout extends Size {
  hasHeadings: boolean;
  hasMessage: boolean;
  hasFooter: boolean;
  list: { top: number; height: number; width: number };
  preview?: { top: number; height: number; left: number; width: number; isBeside: boolean };
}

/** From here on the preview stands beside the list. */
const BESIDE = 100;
const LEAST_ROWS_BELOW = 18;
const LEAST_ROWS_BESIDE = 8;

export function layoutOf({ columns, rows }: Size, wantsPreview: boolean): Layout {
  const hasHeadings = rows >= 8;
  const hasMessage = rows >= 6;
  const hasFooter = rows >= 4;
  const top = hasHeadings ? 2 : 1;
  const height = Math.max(1, rows - top - (hasMessage ? 1 : 0) - (hasFooter ? 1 : 0));
  const parts = { columns, rows, hasHeadings, hasMessage, hasFooter };
  if (wantsPreview && columns >= BESIDE && rows >= LEAST_ROWS_BESIDE) {
    const width = Math.floor(columns * 0.4);
    const left = columns - width;
    return {
      ...parts,
      list: { top, height, width: left - 3 },
      preview: { top: 1, height: height + top - 1, left, width, isBeside: true },
    };
  }
  if (wantsPreview && rows >= LEAST_ROWS_BELOW) {
    const own = Math.floor(rows * 0.4);
    const least = height - own - 1;
    return {
      ...parts,
      list: { top, height: least, width: columns },
      preview: { top: top + least + 1, height: own, left: 0, width: columns, isBeside: false },
    };
  }
  return { ...parts, list: { top, height, width: columns } };
}

/** The first of the shown rows, such that the selected one is among them and as little moves as possible. */
export function scrolled(top: number, selected: number, height: number, count: number): number {
  const kept = Math.min(Math.max(top, selected - height + 1), selected);
  return Math.max(0, Math.min(kept, count - height));
}
