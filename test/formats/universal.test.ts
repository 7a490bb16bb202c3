// Both encodings of the universal session: whatever is written is read back as it was, piece by piece, and
// what is wrong is refused with the place where it stands.
import { open, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formats } from "../../src/formats/index.ts";
import { readUniversalJsonl } from "../../src/formats/universal-lines.ts";
import { readUniversal } from "../../src/formats/universal-read.ts";
import { writeUniversal, writeUniversalJsonl } from "../../src/formats/universal-write.ts";
import type { Entry, Session } from "../../src/session/session.ts";
import { collect, type Source, type Stream, sourceOf } from "../../src/session/source.ts";
import { visible } from "../../src/transform/visible.ts";
import { fc } from "../property.ts";
import { anySession } from "./arbitrary.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();
const encodings = {
  universal: { write: writeUniversal, read: readUniversal },
  "universal-jsonl": { write: writeUniversalJsonl, read: readUniversalJsonl },
};
type Encoding = keyof typeof encodings;

async function written(stream: Stream, encoding: Encoding, records = true): Promise<string> {
  const pieces = await Array.fromAsync(encodings[encoding].write(stream, { records }));
  return pieces.join("");
}

let files = 0;
async function read(text: string, encoding: Encoding): Promise<Source> {
  const path = join(folder(), `${files++}.${encoding}`);
  await writeFile(path, text);
  return encodings[encoding].read(path);
}

const whole = (source: Source) => collect(source, { records: true });

const small: Session = {
  id: "s",
  version: "1.0",
  source: { cli: "universal" },
  project: { path: "/p" },
  model: { provider: "p", model: "m" },
  metadata: { created: "t", lastModified: "t" },
  timeline: [
    { id: "u", timestamp: "t", type: "user", content: "hello" },
    { id: "a", timestamp: "t", type: "assistant", content: "hi\u2028there \ud800" },
  ],
};

describe.each(["universal", "universal-jsonl"] as const)("%s", (encoding) => {
  it("gives back every generated session", async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (session) => {
        const source = await read(await written(sourceOf(session), encoding), encoding);
        expect(await whole(source)).toEqual(session);
      }),
      { numRuns: 150 },
    );
  });

  it("writes the same text again", async () => {
    await fc.assert(
      fc.asyncProperty(anySession, async (session) => {
        const text = await written(sourceOf(session), encoding);
        expect(await written(await read(text, encoding), encoding)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it("keeps long texts whole", async () => {
    const content = 'long \u00e9\ud83d\ude00 "text" \\\\ '.repeat(20_000);
    const session = { ...small, timeline: [{ ...small.timeline[0], content } as Entry] };
    const source = await read(await written(sourceOf(session), encoding), encoding);
    expect(await whole(source)).toEqual(session);
  });

  it("leaves raw records out when told to", async () => {
    const session = { ...small, records: [{ index: 0, raw: "x" }] };
    const source = await read(await written(sourceOf(session), encoding, false), encoding);
    expect(await whole(source)).toEqual(small);
    expect(source.records).toBeUndefined();
  });

  it("hands out windows of the timeline and the same skeleton", async () => {
    const timeline: Entry[] = Array.from({ length: 40 }, (_, at) => ({
      id: `e${at}`,
      timestamp: "t",
      type: "user",
      content: String(at),
      ...(at === 20 && { parent: "e5" }),
    }));
    const session = { ...small, timeline, head: "e25" };
    const source = await read(await written(sourceOf(session), encoding), encoding);
    expect(await Array.fromAsync(source.entries({ from: 7, to: 9 }))).toEqual(timeline.slice(7, 9));
    expect(await Array.fromAsync(source.entries({ from: 39 }))).toEqual(timeline.slice(39));
    expect(await Array.fromAsync(source.entries({ from: 40 }))).toEqual([]);
    const seen = (await Array.fromAsync(visible(source).entries())).map(({ id }) => id);
    expect(seen).toEqual(
      [..."012345"].map((digit) => `e${digit}`).concat(["e20", "e21", "e22", "e23", "e24", "e25"]),
    );
  });

  it("is recognised, and nothing else is", async () => {
    const path = join(folder(), `recognised.${encoding}`);
    const matches = async () =>
      (
        await Promise.all(formats.map(async ({ id, recognise }) => ((await recognise?.(path)) ? id : "")))
      ).filter(Boolean);
    await writeFile(path, await written(sourceOf(small), encoding));
    expect(await matches()).toEqual([encoding]);
    for (const other of [
      "",
      "# Notes",
      "{",
      '{"type":"user","content":"Hello"}\n',
      '{"timestamp":"t","type":"session_meta","payload":{"source":"cli"}}\n',
      '{"session":{"id":"x"},"items":[]}',
    ]) {
      await writeFile(path, other);
      expect(await matches(), other).toEqual([]);
    }
  });
});

it("recognises a JSON document on one line", async () => {
  const path = join(folder(), "one-line.json");
  await writeFile(path, JSON.stringify(small));
  expect(await formats[0]?.recognise?.(path)).toBe(true);
  expect(await formats[1]?.recognise?.(path)).toBe(false);
});

it("turns one encoding into the other without a difference", async () => {
  await fc.assert(
    fc.asyncProperty(anySession, async (session) => {
      const json = await written(sourceOf(session), "universal");
      const lines = await written(await read(json, "universal"), "universal-jsonl");
      expect(await written(await read(lines, "universal-jsonl"), "universal")).toBe(json);
    }),
    { numRuns: 50 },
  );
});

describe("what is wrong in a JSON document", () => {
  const cases: [string, unknown, string][] = [
    [
      "an entry's field",
      { ...small, timeline: [small.timeline[0], { ...small.timeline[1], content: 7 }] },
      "timeline[1].content",
    ],
    [
      "an unknown entry",
      { ...small, timeline: [{ id: "x", timestamp: "t", type: "dance" }] },
      "timeline[0].type",
    ],
    ["the header", { ...small, project: {} }, "project.path"],
    ["a missing timeline", { ...small, timeline: undefined }, "timeline"],
    ["a subagent", { ...small, children: [{ ...small, timeline: [{}] }] }, "children[0].timeline[0].type"],
    ["a record", { ...small, records: [{ index: "one", raw: "" }] }, "records[0].index"],
    ["no version", { ...small, version: undefined }, "version"],
  ];
  it.each(cases)("%s is named", async (_, document, place) => {
    await expect(read(JSON.stringify(document), "universal")).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringContaining(`: ${place}: `),
    });
  });

  it.each(["", "{", "[]", "null"])("%j is refused", async (text) => {
    await expect(read(text, "universal")).rejects.toMatchObject({ code: "damaged" });
  });

  it("a newer version is refused with advice", async () => {
    await expect(read(JSON.stringify({ ...small, version: "7.0" }), "universal")).rejects.toMatchObject({
      code: "unsupported",
      message: expect.stringContaining('"7.0"'),
      hint: expect.stringContaining("Update Baton"),
    });
  });

  it("a file that cannot be one string is refused with advice", async () => {
    const path = join(folder(), "huge.json");
    const file = await open(path, "w");
    await file.truncate(2 ** 29);
    await file.close();
    await expect(readUniversal(path)).rejects.toMatchObject({
      code: "unsupported",
      hint: expect.stringContaining("universal-jsonl"),
    });
  });
});

describe("what is wrong in JSONL", () => {
  const { timeline, ...header } = small;
  const head = JSON.stringify({ type: "session", ...header });
  const entry = JSON.stringify(timeline[0]);
  const child = JSON.stringify({ type: "session", depth: 1, ...header });
  const cases: [string, string[], string][] = [
    ["no header", [entry], "line 1: type"],
    ["a broken line", [head, entry, '{"id":'], "line 3: not JSON"],
    ["a bad entry", [head, entry, '{"type":"user","id":"x","timestamp":"t"}'], "line 3: content"],
    ["an unknown line", [head, '{"type":"dance"}'], "line 2: type"],
    ["a bad record", [head, '{"type":"record","index":1}'], "line 2: raw"],
    ["no object", [head, "7"], "line 2: not an object"],
    ["a timeline in the header", [JSON.stringify({ type: "session", ...small })], "line 1: timeline"],
    ["a second session", [head, entry, head], "line 3: depth"],
    ["a subagent of nobody", [child], "line 1: depth"],
    [
      "a subagent too deep",
      [head, JSON.stringify({ type: "session", depth: 2, ...header })],
      "line 2: depth",
    ],
    ["a bad subagent", [head, child, '{"type":"user"}'], "line 3: id"],
    [
      "a newer version",
      [JSON.stringify({ type: "session", ...header, version: "1.1" })],
      'line 1: version: "1.1"',
    ],
    ["an empty file", [], "no session"],
  ];
  it.each(cases)("%s is named", async (_, lines, place) => {
    await expect(read(lines.map((line) => `${line}\n`).join(""), "universal-jsonl")).rejects.toThrow(place);
  });

  it("damage inside a long text is found at the latest when the text is read", async () => {
    const long = `{"type":"user","id":"x","timestamp":"t","content":"${"a".repeat(30_000)}\\q${"a".repeat(30_000)}"}`;
    const attempt = read(`${head}\n${long}\n`, "universal-jsonl").then((source) =>
      Array.fromAsync(source.entries()),
    );
    await expect(attempt).rejects.toThrow("line 2: not JSON");
  });

  it("blank lines and records between entries do no harm", async () => {
    const record = '{"type":"record","index":0,"raw":"r"}';
    const second = JSON.stringify(timeline[1]);
    const source = await read(
      [head, "", entry, record, second, child, entry, ""].join("\n"),
      "universal-jsonl",
    );
    expect(await whole(source)).toEqual({
      ...small,
      records: [{ index: 0, raw: "r" }],
      children: [{ ...header, timeline: [timeline[0]] }],
    });
  });
});

describe("an older version", () => {
  const migrations = {
    "0.8": {
      to: "0.9",
      entry: ({ text, ...entry }: Record<string, unknown>) => ({ ...entry, content: text }),
    },
    "0.9": {
      to: "1.0",
      header: ({ cwd, ...header }: Record<string, unknown>) => ({ ...header, project: { path: cwd } }),
    },
  };
  const { project: _, timeline, ...rest } = small;
  const header = { ...rest, version: "0.8", cwd: "/p" };
  const entries = timeline.map((entry) => {
    const { content, ...others } = entry as Extract<Entry, { type: "user" }>;
    return { ...others, text: content };
  });

  it("is migrated step by step as a JSON document, subagents too", async () => {
    const path = join(folder(), "old.json");
    const document = { ...header, timeline: entries, children: [{ ...header, timeline: entries }] };
    await writeFile(path, JSON.stringify(document));
    expect(await whole(await readUniversal(path, migrations))).toEqual({ ...small, children: [small] });
  });

  it("is migrated line by line as JSONL", async () => {
    const path = join(folder(), "old.jsonl");
    const lines = [{ type: "session", ...header }, ...entries].map((line) => `${JSON.stringify(line)}\n`);
    await writeFile(path, lines.join(""));
    expect(await whole(await readUniversalJsonl(path, migrations))).toEqual(small);
  });

  it("without a way to the current one is refused", async () => {
    const path = join(folder(), "lost.json");
    await writeFile(path, JSON.stringify({ ...header, version: "0.7", timeline: [] }));
    await expect(readUniversal(path, { ...migrations, "0.7": { to: "0.7" } })).rejects.toMatchObject({
      code: "unsupported",
    });
  });
});
