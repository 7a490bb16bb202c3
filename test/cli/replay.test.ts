// A session gone through step by step, in a real terminal and without one.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import pc from "picocolors";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { play } from "../../src/cli/replay/play.ts";
import type { Happening, Stage } from "../../src/cli/replay/stage.ts";
import { newWindow } from "../../src/cli/replay/window.ts";
import type { Entry, Session } from "../../src/session/session.ts";
import { type Range, sourceOf } from "../../src/session/source.ts";
import { stepsOf } from "../../src/transform/steps.ts";
import { session, user } from "../session/build.ts";
import { openTerminal, type Terminal } from "../terminal.ts";
import { newPlace, type Place, run } from "./transcript.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const at = (second: number) => new Date(Date.UTC(2026, 0, 2, 3, 4, second)).toISOString();
const long = Array.from({ length: 100 }, (_, index) => `line ${index + 1}`).join("\n");
const TIMELINE: Entry[] = [
  { id: "u1", timestamp: at(0), type: "user", content: "First thing to do" },
  { id: "a1", timestamp: at(2), type: "assistant", content: "", thinking: "Hm, a thought.", model: "m-one" },
  { id: "c1", timestamp: at(3), type: "tool_call", tool: "bash", input: { command: "make all" } },
  { id: "r1", timestamp: at(5), type: "tool_result", callId: "c1", success: true, output: long },
  {
    id: "a2",
    timestamp: at(9),
    type: "assistant",
    content: "Made it.",
    model: "m-one",
    usage: { input: 1200, output: 34, cost: 0.5 },
  },
  { id: "u2", timestamp: at(20), type: "user", content: "Second thing" },
  { id: "a3", timestamp: at(25), type: "assistant", content: "The needle is here.", model: "m-two" },
];

function written(timeline: Entry[] = TIMELINE, fields: Partial<Session> = {}): string {
  const path = join(place.root, "work/session.json");
  writeFileSync(path, JSON.stringify(session(timeline, { title: "A test", ...fields })));
  return path;
}

describe("on a terminal", () => {
  let terminal: Terminal | undefined;
  afterEach(() => terminal?.close());

  function replay(...argv: string[]): Terminal {
    terminal = openTerminal(join(place.root, "bin/baton"), ["replay", written(), ...argv], {
      cwd: join(place.root, "work"),
      env: place.env,
    });
    return terminal;
  }

  it("keys move through the steps, and the head says where, when and what it took", async () => {
    const shown = replay();
    const rows = await shown.until("❯ First thing to do");
    expect(rows[0]).toMatch(/^1\/6 · turn 1\/2 · 03:04:00 · \+0 s · model/);
    expect([shown.isAlternate(), shown.isCursorHidden()]).toEqual([true, true]);
    expect(rows[23]).toContain("q quit");
    shown.send(" ");
    await shown.until("thinking: Hm, a thought.");
    shown.send("\r");
    expect((await shown.until("make all"))[0]).toMatch(/^3\/6 · turn 1\/2 · 03:04:03 · \+3 s/);
    shown.send("\u001b[C");
    expect((await shown.until("Made it."))[0]).toMatch(/^4\/6 .* \+9 s · 1\.2k in, 34 out, \$0\.50 · m-one/);
    shown.send("j");
    await shown.until((screen) => screen.includes("❯ Second thing") && !screen.includes("First thing"));
    shown.send("k");
    await shown.until(/^4\/6/);
    shown.send("\u001b[D");
    await shown.until(/^3\/6/);
    shown.send("G");
    await shown.until(/^6\/6/);
    shown.send(" ");
    await shown.until("This is the end.");
    shown.send("p");
    await shown.until(/^5\/6/);
    shown.send("p");
    await shown.until(/^1\/6/);
    shown.send("n");
    await shown.until(/^5\/6/);
    shown.send("g");
    await shown.until(/^1\/6/);
    shown.send("q");
    expect(await shown.ended).toBe(0);
    expect([shown.isAlternate(), shown.isCursorHidden()]).toEqual([false, false]);
  });

  it("a long output is folded with a count, expanded and scrolled", async () => {
    const shown = replay("--from", "c1");
    await shown.until(/line 8\n\s+… 92 more lines/);
    shown.send("e");
    await shown.until((screen) => screen.includes("line 21") && screen.includes("more lines below"));
    shown.send("\u001b[6~");
    await shown.until((screen) => screen.includes("line 40") && !screen.includes("line 8\n"));
    shown.send("\u001b[A");
    shown.send("t");
    shown.send("e");
    await shown.until((screen) => screen.includes("make all") && !screen.includes("line 1"));
    shown.send("t");
    expect((await shown.until("… 92 more lines"))[0]).toMatch(/^3\/6/);
  });

  it("a text is found, and what is not there is told", async () => {
    const shown = replay();
    await shown.until(/^1\/6/);
    shown.send("/NEEDLE\r");
    await shown.until(/^6\/6[\s\S]*The needle is here/);
    // Pasted into what is looked for, and never taken for keys.
    shown.send("\u001b[200~q\u001b[201~/\u001b[200~line 77\u001b[201~\r");
    await shown.until(/^3\/6/);
    shown.send("/nowhere\r");
    await shown.until("Not found.");
    shown.send("/q");
    await shown.until(/^\/q$/m);
    shown.send("\u001b");
    expect((await shown.until("q quit"))[0]).toMatch(/^3\/6/);
  });

  it("another size is drawn anew, a small one too", async () => {
    const shown = replay("--from", "a2");
    await shown.until("Made it.");
    shown.resize(120, 40);
    const rows = await shown.until((screen) => screen.includes("2026-01-02 03:04:09"));
    expect(rows).toHaveLength(40);
    expect(rows[39]).toContain("q quit");
    shown.resize(30, 6);
    const small = await shown.until((screen) => screen.startsWith("4/6 · turn 1/2 · 03:04:09 · +…"));
    expect(small[4]).toBe("● Made it.");
  });

  it("a full line is shown to its last column, and broken between words", async () => {
    const full = "x".repeat(78);
    const said = `${full} and then ${"word ".repeat(20)}end`;
    const path = written([{ id: "u", timestamp: at(0), type: "user", content: said }]);
    terminal = openTerminal(join(place.root, "bin/baton"), ["replay", path], {
      cwd: join(place.root, "work"),
      env: place.env,
    });
    const rows = await terminal.until("word end");
    expect(rows[0]).toHaveLength(80);
    const first = rows.indexOf(`❯ ${full}`);
    expect(first).toBeGreaterThan(0);
    expect(rows[first + 1]).toBe(`and then ${"word ".repeat(14)}`.trimEnd());
    // Terminals do not agree on which cell is erased behind the last column, so nothing is.
    expect(terminal.written()).not.toMatch(/\u001b\[0?K/);
  });

  it("it is played, faster than it happened, until a key is pressed", async () => {
    const shown = replay("--speed", "1000");
    await shown.until(/^6\/6/);
    shown.send("g");
    await shown.until(/^1\/6/);
    shown.send("s");
    await shown.until(/^▶ [23456]\/6/);
    expect((await shown.until(/^6\/6/))[0]).toContain("turn 2/2");
  });

  it.each([
    ["\u0003", 130],
    ["kill", 143],
  ])("the terminal is given back after %j", async (how, status) => {
    const shown = replay();
    await shown.until(/^1\/6/);
    if (how === "kill") process.kill(shown.pid, "SIGTERM");
    else shown.send(how);
    expect(await shown.ended).toBe(status);
    expect([shown.isAlternate(), shown.isCursorHidden()]).toEqual([false, false]);
  });

  it("nothing in a session acts on the terminal", async () => {
    const evil = "a\u001b[31m\u001b]0;owned\u0007\u009b2Jb\u202e";
    const output = `${evil}\r${evil}`;
    const path = written(
      [
        { id: "u", timestamp: evil, type: "user", content: evil },
        { id: "c", timestamp: "", type: "tool_call", tool: "bash", input: { command: evil }, model: evil },
        { id: "r", timestamp: "", type: "tool_result", callId: "c", success: true, output },
      ],
      { title: evil, model: { provider: evil, model: evil } },
    );
    terminal = openTerminal(join(place.root, "bin/baton"), ["replay", path, "--no-color"], {
      cwd: join(place.root, "work"),
      env: place.env,
    });
    await terminal.until(/^1\/2/);
    terminal.send(" ");
    await terminal.until(/^2\/2/);
    expect(terminal.written()).not.toMatch(/owned|\u0007|\u009b|\u202e|\u001b\[31m|\u001b\[2J/);
  });
});

describe("without a terminal", () => {
  it("the steps are printed in order, with what each turn took", () => {
    written();
    expect(run(place, "baton replay session.json").stdout).toBe(`── turn 1 ──
❯ First thing to do
  thinking, 1 line
  ✓ bash make all · 2.0 s
● Made it.
   9 s · 1 call · 1.2k in, 34 out, $0.50

── turn 2 ──
❯ Second thing
● The needle is here.
   5 s

`);
    expect(run(place, "baton replay session.json --verbose").stdout).toContain("    line 100\n");
    expect(run(place, "baton replay session.json --from a2").stdout).toMatch(/^● Made it\.\n/);
  });

  it("--json has the turns with their steps, and each call with its result", () => {
    written();
    const { turns } = JSON.parse(run(place, "baton replay session.json --json").stdout);
    expect(turns).toHaveLength(2);
    expect(turns[0]).toMatchObject({
      entry: "u1",
      prompt: "First thing to do",
      start: at(0),
      end: at(9),
      ms: 9000,
      tools: { bash: 1 },
      files: [],
      tokens: { input: 1200, output: 34 },
      cost: 0.5,
      answer: "Made it.",
      steps: [
        { type: "user", id: "u1" },
        { type: "assistant", thinking: "Hm, a thought." },
        { type: "tool_call", id: "c1", result: { output: long } },
        { type: "assistant", content: "Made it." },
      ],
    });
    expect(turns[1]).toMatchObject({
      entry: "u2",
      steps: [{ id: "u2" }, { id: "a3" }],
      cost: null,
      tokens: null,
    });
    const part = JSON.parse(run(place, "baton replay session.json --json --from a2").stdout);
    expect(part.turns.map(({ entry }: { entry: string }) => entry)).toEqual([null, "u2"]);
  });

  it("an entry that is not there is an error", () => {
    written();
    const { stderr, status } = run(place, "baton replay session.json --from nothing");
    expect([stderr.split("\n")[0], status]).toEqual([
      'error: No entry of this session is called "nothing".',
      3,
    ]);
    expect(run(place, "baton replay session.json --speed fast").status).toBe(2);
  });

  it("an empty session is an empty list", () => {
    written([]);
    expect(JSON.parse(run(place, "baton replay session.json --json").stdout)).toEqual({ turns: [] });
    expect(run(place, "baton replay session.json")).toMatchObject({ stdout: "", status: 0 });
  });
});

it("what cannot be read to its end is told, and the rest can be gone through", async () => {
  const source = sourceOf(session(TIMELINE));
  const broken = {
    ...source,
    // Only a pass over all of it fails; what is looked at is asked for by window.
    async *entries(range: Range = {}) {
      if (range.texts === "referenced" || range.to === TIMELINE.length) throw new Error("the disk is gone");
      yield* source.entries(range);
    },
  };
  const events: Happening[] = [];
  let wake: () => void = () => undefined;
  const happen = (event: Happening) => {
    events.push(event);
    wake();
  };
  const press = (text: string) => happen({ type: "text", text });
  const told: string[] = [];
  const stage: Stage = {
    size: () => ({ columns: 80, rows: 24 }),
    draw(lines: readonly string[]) {
      const last = lines.at(-1) ?? "";
      told.push(last);
      if (last.startsWith("What it took")) {
        for (const text of ["/", "x"]) press(text);
        happen({ type: "named", name: "enter" });
      }
      if (last.startsWith("Not looked")) press("q");
    },
    async next() {
      while (events.length === 0) await new Promise<void>((resolve) => (wake = resolve));
      return events.shift() as Happening;
    },
    tell: (what) => happen({ type: "told", what }),
  };
  const look = { colors: pc.createColors(false), badge: "", home: "/" };
  await play(stage, { source: broken, steps: stepsOf(source.skeleton, { visible: false }), from: 0, look });
  expect(told).toContain("What it took is not known: the disk is gone");
  expect(told.at(-1)).toBe("Not looked through to the end: the disk is gone");
});

it("of a large session only what is looked at is held", async () => {
  const source = sourceOf(session(Array.from({ length: 400 }, (_, index) => user(`u${index}`))));
  let read = 0;
  const window = newWindow({
    async *entries(range) {
      for await (const entry of source.entries(range)) {
        read++;
        yield { ...entry, content: "x".repeat(1 << 20) } as Entry;
      }
    },
  });
  const ids = async (...positions: number[]) => (await window.entries(positions)).map(({ id }) => id);
  expect(await ids(200, 201)).toEqual(["u200", "u201"]);
  expect(read).toBeLessThan(40);
  expect(await ids(399, 0)).toEqual(["u399", "u0"]);
  expect(await ids(200)).toEqual(["u200"]);
  expect(await ids(400)).toEqual([]);
});
