// What stands over the list: a choice, a report of what would be lost, a text, or that something is going on.
import { cut, padded, widthOf } from "../text.ts";
import type { Frame, Line, Look } from "./cells.ts";
import { hasDigits, type Panel, panelHeight, panelText, type State } from "./state.ts";
import { footerLine } from "./words.ts";

export function panelScreen(state: State, panel: Panel, look: Look): Frame {
  const { columns, rows } = state.size;
  const { colors } = look;
  const height = panelHeight(state);
  const body = bodyOf(panel, height, columns, look);
  const message: Line =
    state.message === "" ? [] : [{ at: 0, text: colors.cyan(cut(state.message, columns)) }];
  const lines: Line[] = [
    [{ at: 0, text: colors.bold(cut(panel.title, columns)) }],
    [],
    ...Array.from({ length: height }, (_, at): Line => body[at] ?? []),
    message,
    footerLine(panel.type === "busy" && panel.isHeld ? "held" : panel.type, columns, look),
  ];
  // On a tiny screen the keys stay.
  return { lines: lines.length <= rows ? lines : [...lines.slice(0, Math.max(0, rows - 1)), lines.at(-1)!] };
}

function bodyOf(panel: Panel, height: number, width: number, look: Look): Line[] {
  switch (panel.type) {
    case "busy":
      return [];
    case "text":
    case "report":
      return panelText(panel.lines, width)
        .slice(panel.top, panel.top + height)
        .map((text) => [{ at: 0, text }]);
    case "choice":
      return choiceLines(panel, height, width, look);
  }
}

function choiceLines(
  { items, selected, top }: Extract<Panel, { type: "choice" }>,
  height: number,
  width: number,
  { colors }: Look,
): Line[] {
  const number = (at: number) => (hasDigits(items) ? `${at + 1} ` : "");
  const shown = items
    .slice(top, top + height)
    .map((item, at) => ({ ...item, label: number(top + at) + item.label }));
  const widest = Math.max(0, ...shown.map((item) => widthOf(item.label)));
  const label = Math.min(widest, Math.max(20, Math.floor(width * 0.75)), width - 2);
  return shown.map((item, index) => {
    const isSelected = top + index === selected;
    const text = padded(cut(item.label, label), label);
    const style =
      item.refusal !== undefined ? colors.dim : isSelected ? colors.inverse : (one: string) => one;
    const note = cut(item.note, width - label - 5);
    return [
      ...(isSelected ? [{ at: 0, text: colors.cyan("▸") }] : []),
      { at: 2, text: style(text) },
      ...(note === "" ? [] : [{ at: label + 4, text: colors.dim(note) }]),
    ];
  });
}
