import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type NativeRecord, type ReadOptions, readRecords } from "../../src/storage/records.ts";
import { fc } from "../property.ts";
import { temporaryFolder } from "./temporary.ts";

type Copied = Omit<NativeRecord, "bytes"> & { bytes: string };

/** Everything at once, with bytes copied because their buffer is reused. */
async function readAll(path: string, options?: ReadOptions): Promise<Copied[]> {
  const all: Copied[] = [];
  for await (const batch of readRecords(path, options))
    for (const record of batch) all.push({ ...record, bytes: record.bytes.toString("latin1") });
  return all;
}

async function readText(text: string | Uint8Array, options?: ReadOptions): Promise<Copied[]> {
  const path = join(await temporaryFolder(), "session.jsonl");
  await writeFile(path, text);
  return readAll(path, options);
}

const kinds = (record: Copied | undefined) => record?.losses.map(({ kind }) => kind);

describe("one record", () => {
  it("is a line with its place in the file", async () => {
    const records = await readText('{"a":1}\n{"b":"ü"}\n');
    expect(records).toEqual([
      {
        index: 0,
        line: 1,
        offset: 0,
        length: 8,
        value: { a: 1 },
        whole: true,
        terminated: true,
        losses: [],
        bytes: '{"a":1}\n',
      },
      expect.objectContaining({ index: 1, line: 2, offset: 8, length: 11, value: { b: "ü" } }),
    ]);
  });

  it("may lack its newline at the end of the file", async () => {
    const [whole, last] = await readText('{"a":1}\n{"b":2}');
    expect(whole).toMatchObject({ terminated: true });
    expect(last).toMatchObject({ value: { b: 2 }, terminated: false, losses: [] });
  });

  it("is blank for an empty line and does not exist in an empty file", async () => {
    expect(await readText("")).toEqual([]);
    expect(await readText("\n  \r\n")).toMatchObject([
      { value: undefined, losses: [], line: 1 },
      { value: undefined, losses: [], line: 2 },
    ]);
  });

  it("may end in CRLF and hold line separators that are not newlines", async () => {
    const records = await readText('{"a":"x\u2028y\u2029z\u0085"}\r\n{"b":1}\r\n');
    expect(records.map(({ value }) => value)).toEqual([{ a: "x\u2028y\u2029z\u0085" }, { b: 1 }]);
    expect(records.flatMap(({ losses }) => losses)).toEqual([]);
  });
});

describe("damage", () => {
  it.each([
    ["a BOM", '\uFEFF{"a":1}\n', { a: 1 }, ["record_bytes_odd"]],
    ["NUL bytes before", '\0\0\0{"a":1}\n', { a: 1 }, ["record_bytes_odd"]],
    ["NUL bytes after", '{"a":1}\0\0\n', { a: 1 }, ["record_bytes_odd"]],
    ["NUL bytes alone", "\0\0\0\0\n", undefined, ["record_bytes_odd"]],
    ["a comment", "// note\n", undefined, ["record_comment"]],
    ["another comment", "# note\n", undefined, ["record_comment"]],
    ["garbage", "oops\n", undefined, ["record_unreadable"]],
    ["half a record", '{"a":', undefined, ["record_truncated"]],
    ["objects with a gap", '{"a":1} {"b":2}\n', undefined, ["record_unreadable"]],
    ["objects glued and apart", '{"a":1}{"b":2} {"c":3}\n', undefined, ["record_unreadable"]],
    ["glued arrays", "[1][2]\n", undefined, ["record_unreadable"]],
    ["an object glued to garbage", '{"a":1}{"b"\n', undefined, ["record_unreadable"]],
  ])("%s is named and its bytes are kept", async (_, text, value, expected) => {
    const records = await readText(text);
    expect(records).toHaveLength(1);
    expect(records[0]).toMatchObject({ value, bytes: Buffer.from(text).toString("latin1") });
    expect(kinds(records[0])).toEqual(expected);
    expect(records[0]?.losses[0]?.at).toEqual({ record: 0, line: 1 });
  });

  it("in the form of bytes that are no text is replaced", async () => {
    const bytes = Buffer.concat([
      Buffer.from('{"a":"'),
      Buffer.from([0xff, 0xc3]),
      Buffer.from('"}\n{"b":1}\n'),
    ]);
    const records = await readText(bytes);
    expect(records.map(({ value }) => value)).toEqual([{ a: "\uFFFD\uFFFD" }, { b: 1 }]);
    expect(records.map(kinds)).toEqual([["record_bytes_odd"], []]);
  });

  it("in the form of glued objects becomes a record each", async () => {
    const records = await readText('{"a":"}{"}{"b":2}\0\0{"c":3}\n{"d":4}\n');
    expect(records.map(({ index, line, value }) => [index, line, value])).toEqual([
      [0, 1, { a: "}{" }],
      [1, 1, { b: 2 }],
      [2, 1, { c: 3 }],
      [3, 2, { d: 4 }],
    ]);
    expect(records.map(kinds)).toEqual([[], ["record_glued"], ["record_bytes_odd", "record_glued"], []]);
    expect(records[1]?.losses[0]?.at).toEqual({ record: 1, line: 1 });
  });

  it("never turns into millions of records", async () => {
    const records = await readText("{}".repeat(100_000));
    expect(records).toHaveLength(1);
    expect(kinds(records[0])).toEqual(["record_truncated"]);
  });

  it("takes linear time", async () => {
    const gap = " ".repeat(2_000_000);
    const started = performance.now();
    const records = await readText(`{"a":1}${gap}x\n${"{".repeat(2_000_000)}\n${'"\\'.repeat(1_000_000)}\n`);
    expect(records.map(kinds)).toEqual([["record_unreadable"], ["record_unreadable"], ["record_unreadable"]]);
    // Quadratic time would be minutes.
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it("in the form of a named pipe or a folder is an error, not a wait", async () => {
    const folder = await temporaryFolder();
    execFileSync("mkfifo", [join(folder, "pipe.jsonl")]);
    await expect(readAll(join(folder, "pipe.jsonl"))).rejects.toMatchObject({ code: "damaged" });
    await expect(readAll(folder)).rejects.toMatchObject({ code: "damaged" });
  });
});

describe("a big file", () => {
  it("lets others be heard while it is read", async () => {
    const path = join(await temporaryFolder(), "session.jsonl");
    await writeFile(path, `{"text":"${"x".repeat(1000)}"}\n`.repeat(5000));
    const heard: number[] = [];
    let read = 0;
    const listen = () => setImmediate(() => heard.push(read)).unref();
    listen();
    for await (const batch of readRecords(path)) {
      read += batch.length;
      listen();
    }
    expect(heard.filter((count) => count < read).length).toBeGreaterThan(0);
  });

  const lines = [10, 1 << 20, 3_000_000, (1 << 20) - 9, 5, 700_000, 700_000, 2, 4_500_000, 1].map(
    (length, index) => `${JSON.stringify({ index, text: "ü".repeat(length / 2) })}\n`,
  );

  it.each([{}, { raw: true }, { shrink: true }])(
    "is read in pieces that fit together: %j",
    async (options) => {
      const records = await readText(lines.join(""), options);
      expect(records.map(({ length }) => length)).toEqual(lines.map((line) => Buffer.byteLength(line)));
      for (const [at, record] of records.entries()) {
        expect(record.bytes === Buffer.from(lines[at] ?? "").toString("latin1")).toBe(true);
        if (!("raw" in options)) expect((record.value as { index: number }).index).toBe(at);
      }
    },
  );

  it.each(["\x01", "\\x", "\\u12G4"])("loses only the long text in which %j does not belong", async (odd) => {
    const text = `{"a":1,"text":"${"p".repeat(9000)}${odd}${"p".repeat(9000)}","b":[2]}\n`;
    for (const options of [{}, { shrink: true }]) {
      const [record] = await readText(text, options);
      expect(record?.value).toEqual({ a: 1, text: "p".repeat(512), b: [2] });
      expect(record?.whole).toBe(false);
    }
    expect((await readText(text)).map(kinds)).toEqual([["record_unreadable"]]);
  });

  it("can be one endless line, which is handed out in bounded pieces", async () => {
    const records = await readText(`${"x".repeat(25)}\n{"a":1}\n`, { longestLine: 10 });
    expect(records.map(({ bytes, line, value }) => [bytes, line, value])).toEqual([
      ["x".repeat(10), 1, undefined],
      ["x".repeat(10), 1, undefined],
      [`${"x".repeat(5)}\n`, 1, undefined],
      ['{"a":1}\n', 2, { a: 1 }],
    ]);
    expect(records.map(kinds)).toEqual([["record_unreadable"], [], [], []]);
  });
});

describe("a file that is read at once", () => {
  it.each([-1, 0, 1, 2])(
    "has the same records as one in pieces, %i bytes from where that ends",
    async (more) => {
      const lines = [
        `{"a":"${"x".repeat(700)}"}\n`,
        '{"b":1} {"c":2}\n',
        "\n",
        `{"d":"${"ü".repeat(300)}"}\n`,
      ];
      const text = lines.join("").repeat(1000);
      const length = (1 << 20) + more;
      const bytes = Buffer.from(text).subarray(0, length);
      const path = join(await temporaryFolder(), "session.jsonl");
      await writeFile(path, bytes);
      const whole = await readAll(path);
      const inPieces = await readAll(path, { grown: async () => length });
      expect(whole).toEqual(inPieces);
      expect(whole.map((record) => record.bytes).join("") === bytes.toString("latin1")).toBe(true);
      for (const from of whole.slice(1, 12))
        expect((await readAll(path, { from, end: length })).slice(0, 3)).toEqual(
          whole.slice(from.index, from.index + 3),
        );
    },
  );
});

describe("several files", () => {
  it("are read at once, one after another and in part, each with its own bytes", async () => {
    const folder = await temporaryFolder();
    const paths = Array.from({ length: 6 }, (_, number) => join(folder, `${number}.jsonl`));
    const textOf = (path: string) => `{"in":"${path}"}\n`.repeat(300);
    for (const path of paths) await writeFile(path, textOf(path));
    const [first, second, ...others] = paths as [string, string, ...string[]];
    await readAll(first);
    const begun = readRecords(second)[Symbol.asyncIterator]();
    const { value: beginning } = (await begun.next()) as { value: NativeRecord[] };
    for (const read of await Promise.all([...others, first].map((path) => readAll(path))))
      expect(new Set(read.map(({ bytes }) => bytes)).size).toBe(1);
    expect(new Set(beginning.map(({ bytes }) => bytes.toString()))).toEqual(
      new Set([`{"in":"${second}"}\n`]),
    );
    const rest: string[] = [];
    for (let next = await begun.next(); !next.done; next = await begun.next()) {
      const texts = next.value.map(({ bytes }) => bytes.toString());
      await readAll(first);
      expect(next.value.map(({ bytes }) => bytes.toString())).toEqual(texts);
      rest.push(...texts);
    }
    expect(rest.length + beginning.length).toBe(300);
  });
});

describe("whatever the bytes", () => {
  const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.stringify(value));
  const object = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 })
    .map((value) => JSON.stringify(value));
  const long = fc
    .tuple(
      fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
      fc.integer({ min: 1, max: 3000 }),
      object,
    )
    .map(([text, times, extra]) => JSON.stringify({ text: text.repeat(times), extra }));
  const odd = fc.constantFrom(
    "\n",
    "\n\n",
    "\r\n",
    "\0",
    "\0\0\n",
    "\uFEFF",
    "// x",
    "#",
    " ",
    "\t\n",
    "\u2028",
    "}",
    "{",
    '"',
    "\\",
    "}{",
  );
  const fragment: fc.Arbitrary<Uint8Array> = fc.oneof(
    { weight: 3, arbitrary: json.map((text) => Buffer.from(`${text}\n`)) },
    { weight: 3, arbitrary: object.map((text) => Buffer.from(text)) },
    { weight: 3, arbitrary: odd.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: long.map((text) => Buffer.from(`${text}\n`)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }) },
  );
  const file = fc.array(fragment, { maxLength: 30 }).map((fragments) => Buffer.concat(fragments));
  const longestLine = fc.constantFrom(undefined, 7, 100);

  const place = ({ index, line, offset, length, terminated, bytes }: Copied) => ({
    index,
    line,
    offset,
    length,
    terminated,
    bytes,
  });

  it("the records are the file, the same in every mode, and can be resumed at each", async () => {
    const path = join(await temporaryFolder(), "session.jsonl");
    await fc.assert(
      fc.asyncProperty(file, longestLine, async (bytes, longestLine) => {
        const limit = longestLine === undefined ? {} : { longestLine };
        await writeFile(path, bytes);
        const records = await readAll(path, limit);
        expect(records.map((record) => record.bytes).join("")).toBe(bytes.toString("latin1"));
        expect(records.map(({ index }) => index)).toEqual(records.map((_, at) => at));
        const raw = await readAll(path, { ...limit, raw: true });
        const small = await readAll(path, { ...limit, shrink: true });
        expect(raw.map(place)).toEqual(records.map(place));
        expect(small.map(place)).toEqual(records.map(place));
        expect(small.map(kinds)).toEqual(records.map((record) => (record.whole ? kinds(record) : [])));
        expect(small.map(({ value }) => value === undefined)).toEqual(
          records.map(({ value }) => value === undefined),
        );
        const step = Math.ceil(records.length / 10);
        for (const from of records.filter(({ index }) => index % step === 0)) {
          expect(await readAll(path, { ...limit, from })).toEqual(records.slice(from.index));
          expect((await readAll(path, { ...limit, from, raw: true })).map(place)).toEqual(
            records.slice(from.index).map(place),
          );
          if (from.line === records[from.index - 1]?.line) continue;
          expect(await readAll(path, { ...limit, end: from.offset })).toEqual(records.slice(0, from.index));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("a line that is JSON has that value", async () => {
    const path = join(await temporaryFolder(), "session.jsonl");
    await fc.assert(
      fc.asyncProperty(file, async (bytes) => {
        await writeFile(path, bytes);
        const lines = bytes.toString("utf8").split("\n");
        for (const record of await readAll(path)) {
          const line = lines[record.line - 1] ?? "";
          if (isJson(line)) expect(record.value).toEqual(JSON.parse(line));
          else if (record.value === undefined) expect(line.trim() === "" || kinds(record)).not.toEqual([]);
        }
      }),
      { numRuns: 100 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
