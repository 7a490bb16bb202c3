// The screen as a function of the state: it fits every size, and nothing on it jumps.

import pc from "picocolors";
import { describe, expect, it } from "vitest";
import type { Line, Look } from "../../../src/cli/picker/cells.ts";
import { linesOf } from "../../../src/cli/picker/cells.ts";
import { draw } from "../../../src/cli/picker/draw.ts";
import { caughtUp, reduce, TOO_EARLY } from "../../../src/cli/picker/reduce.ts";
import {
  initialState,
  type State,
  selectedRow,
  withFilter,
  withPanel,
  withPreview,
  withProgress,
  withSessions,
  withSize,
} from "../../../src/cli/picker/state.ts";
import { widthOf } from "../../../src/cli/text.ts";
import { fc } from "../../property.ts";
import { session, sessions } from "./rows.ts";

const look: Look = {
  colors: pc.createColors(false),
  home: "/home/me",
  badge: (_, text) => text,
  now: Date.UTC(2026, 0, 2, 1),
};
const begin = (columns: number, rows: number, list = sessions(100)) =>
  withProgress(withSessions(initialState({ columns, rows }), list), undefined);
const plain = (line: Line) =>
  line.reduce((text, cell) => `${text}${" ".repeat(Math.max(0, cell.at - widthOf(text)))}${cell.text}`, "");
const lines = (state: State) => draw(state, look).lines.map(plain);
const press = (state: State, ...keys: string[]) =>
  keys.reduce((now, name) => reduce(now, { type: "named", name } as never).state, state);

describe("every size", () => {
  const wild = [
    session(0, {
      title: "日本語のとても長いタイトルがここにあります 🎉🎉🎉",
      project: "/プロジェクト/とても/長い/道",
    }),
    session(1, { title: "a\u001b[31mb\u0007c\nd\te\u202eevil", modelDisplay: "m\u001b]0;x\u0007" }),
    session(2, { title: "", problems: ["line 3: damaged: cut off"] }),
    session(3, { title: "x".repeat(500), agent: "an-agent-with-a-long-name" }),
  ];
  const panels = [
    undefined,
    { type: "busy", title: "Busy 日本語 ".repeat(20), isHeld: false },
    { type: "text", title: "Text", lines: ["one", "", "word ".repeat(100), "日".repeat(200)], top: 0 },
  ] as const;

  it("is filled and never overrun", () => {
    const size = fc.record({
      columns: fc.integer({ min: 1, max: 200 }),
      rows: fc.integer({ min: 1, max: 60 }),
    });
    fc.assert(
      fc.property(
        size,
        fc.constantFrom("", "日", "a b"),
        fc.constantFrom(...panels),
        ({ columns, rows }, filter, panel) => {
          const [first] = wild;
          let state = withFilter(begin(columns, rows, [...wild, ...sessions(50)]), filter);
          const row = selectedRow(state);
          const preview = {
            updated: first?.updated ?? "",
            firstPrompt: "A prompt\nwith lines and 日本語 ".repeat(30),
            lastReply: "A reply ".repeat(100),
            files: ["/home/me/a.ts", "/very/long/".repeat(20)],
            counts: { prompts: 1, replies: 2, calls: 3 },
          };
          if (row) state = withPreview(state, row, preview);
          const drawn = lines(withPanel(state, panel));
          expect(drawn.length).toBeLessThanOrEqual(rows);
          for (const line of drawn) {
            // Below this the terminal cuts, which does not wrap meanwhile.
            if (columns >= 12) expect(widthOf(line)).toBeLessThanOrEqual(columns);
            expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
          }
        },
      ),
    );
  });

  it("80x24 has the columns that fit, 200x50 has all of them", () => {
    expect(lines(begin(80, 24))[1]).toMatch(/^ {2}agent +title +project +msgs +age$/);
    expect(lines(begin(200, 50))[1]).toMatch(/^ {2}agent +title +project +model +msgs +age │/);
  });

  it("columns stay straight beside wide characters", () => {
    const drawn = draw(begin(100, 8, wild), look).lines;
    const columns = drawn.slice(2, 6).map((line) => line.filter(({ at }) => at > 0).map(({ at }) => at));
    expect(new Set(columns.map((line) => line.filter((at) => at < 50).join()))).toHaveProperty("size", 1);
  });
});

describe("the filter", () => {
  const typing = (text: string, list = sessions(5)) =>
    draw({ ...withFilter(begin(80, 24, list), text), focus: "filter" }, look);

  it("counts alike on both sides", () => {
    const [first] = typing("session", sessions(1200)).lines;
    expect(plain(first as Line)).toMatch(/ 1,200 of 1,200$/);
  });

  it("has the cursor behind what is shown of it", () => {
    for (const text of ["ab", "日本 ", "x".repeat(109)]) {
      const { lines, cursor } = typing(text);
      const [, shown] = lines[0] as Line;
      expect(cursor?.column, text).toBe(2 + widthOf(shown?.text ?? ""));
    }
    const { lines, cursor } = typing("x".repeat(109));
    expect(cursor?.column).toBeLessThan((lines[0] as Line).at(-1)?.at ?? 0);
  });
});

describe("rows that come in later", () => {
  it("leave the selection on its session and on its line", () => {
    const all = sessions(100);
    const before = press(begin(80, 24, all.slice(20)), ..."down ".repeat(15).trim().split(" "));
    const line = lines(before).findIndex((text) => text.startsWith("▸"));
    const after = withSessions(before, all);
    expect(selectedRow(after)?.session.id).toBe(selectedRow(before)?.session.id);
    expect(lines(after).findIndex((text) => text.startsWith("▸"))).toBe(line);
  });

  it("show how far reading has come", () => {
    const state = withProgress(begin(80, 24), "Reading sessions: 30 of 1000");
    expect(lines(state).at(-2)).toBe("Reading sessions: 30 of 1000");
  });
});

describe("keys", () => {
  it("the selected row is always on the screen", () => {
    const names = ["up", "down", "page_up", "page_down", "home", "end"];
    const moves = fc.array(fc.constantFrom(...names), { maxLength: 30 });
    fc.assert(
      fc.property(moves, fc.integer({ min: 5, max: 40 }), (keys, rows) => {
        const state = withSize(press(begin(80, 24), ...keys), { columns: 80, rows });
        const [shown] = lines(state).filter((text) => text.startsWith("▸"));
        expect(shown).toContain(selectedRow(state)?.session.title);
      }),
    );
  });

  it("a command in the list is text in the filter, and Alt makes it a command again", () => {
    const list = begin(80, 24);
    const key = { type: "text", text: "v" } as const;
    expect(reduce(list, key).effect).toMatchObject({ type: "view" });
    const typing = { ...list, focus: "filter" } as const;
    expect(reduce(typing, key)).toEqual({ state: withFilter(typing, "v") });
    expect(reduce(typing, { type: "alt", letter: "v" }).effect).toMatchObject({ type: "view" });
  });

  it("pasted text is never a command", () => {
    const { state, effect } = reduce(begin(80, 24), { type: "paste", text: "c" });
    expect([state.filter, effect]).toEqual(["c", undefined]);
  });

  it("Backspace takes one character as a person sees it", () => {
    const state = withFilter(begin(80, 24), "ab👨‍👩‍👧e\u0301");
    expect(press(state, "backspace").filter).toBe("ab👨‍👩‍👧");
    expect(press(state, "backspace", "backspace").filter).toBe("ab");
  });

  it("while something is written keys wait, except Ctrl-C and Ctrl-Z", () => {
    const busy = withPanel(begin(80, 24), { type: "busy", title: "Writing …", isHeld: true });
    const pressed = press(busy, "escape", "enter", "down");
    expect([pressed.panel, pressed.message]).toEqual([busy.panel, "3 keys pressed ahead."]);
    expect(caughtUp(pressed)).toEqual({ state: pressed });
    const list = caughtUp(withPanel(pressed, undefined));
    expect([list.key, list.state.ahead.length]).toEqual([{ type: "named", name: "escape" }, 2]);
    const told = caughtUp(withPanel(pressed, { type: "text", title: "Written", lines: [], top: 0 }));
    expect([told.key, told.state.ahead, told.state.message]).toEqual([undefined, [], TOO_EARLY]);
    expect(reduce(busy, { type: "named", name: "interrupt" }).effect).toEqual({ type: "quit", status: 130 });
  });
});

it("long texts are broken between words, by their width, and say that they go on", () => {
  expect(linesOf("one two three four", 9, 9)).toEqual(["one two", "three", "four"]);
  expect(linesOf("one two three four", 9, 2)).toEqual(["one two", "three…"]);
  expect(linesOf("日本語日本語", 5, 9)).toEqual(["日本", "語日", "本語"]);
  expect(linesOf("a\n\nb", 5, 9)).toEqual(["a", "", "b"]);
  expect(linesOf("", 5, 9)).toEqual([""]);
});
