import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { BatonError } from "../../src/session/error.ts";
import { type ApplyOptions, apply } from "../../src/storage/apply.ts";
import type { Change } from "../../src/storage/changes.ts";
import { operations } from "../../src/storage/operations.ts";
import { recover } from "../../src/storage/recover.ts";
import {
  COMPLETE,
  facts,
  modeOf,
  NEW_LINE,
  newStore,
  OLD_LINE,
  picture,
  session,
  type TestStore,
  texts,
} from "./store.ts";
import { temporaryFolder } from "./temporary.ts";

async function* of(...changes: Change[]): AsyncGenerator<Change> {
  yield* changes;
}

function applyTo(
  places: TestStore,
  changes: AsyncIterable<Change> = session(places),
  options: Partial<ApplyOptions> = {},
) {
  return apply(changes, { batonHome: places.batonHome, facts, ...options });
}

/** The only operation there is. */
async function journaled(places: TestStore) {
  const { operations: all, damaged } = await operations(places.batonHome);
  expect([all.length, damaged]).toEqual([1, []]);
  return all[0]!;
}

async function expectNothingHappened(places: TestStore, before: Record<string, string>) {
  expect(picture(places.store)).toEqual(before);
  expect((await journaled(places)).state).toBe("failed");
  expect(await recover(places.batonHome)).toEqual({ settled: [], running: [], problems: [] });
  expect(Object.keys(texts(places.batonHome))).toEqual([`operations/${(await journaled(places)).id}.json`]);
}

describe("apply", () => {
  it("writes a whole session and says what it did", async () => {
    const places = await newStore(await temporaryFolder());
    const started = Date.now();
    const operation = await applyTo(places);
    expect(texts(places.store)).toEqual(COMPLETE);
    expect(await journaled(places)).toEqual(operation);
    expect(operation).toMatchObject({ state: "done", facts, problems: [] });
    expect(operation.files.map(({ path }) => path.slice(places.store.length + 1))).toEqual([
      "projects/a-b/main.jsonl",
      "projects/a-b/main/subagents/agent-1.jsonl",
      "index.jsonl",
      "results/1.txt",
    ]);
    expect(operation.files[0]).toMatchObject({ written: { size: 34, inode: statSync(places.main).ino } });
    expect(statSync(places.main).mtimeMs).toBeGreaterThanOrEqual(started - 1000);
  });

  it("keeps everything it makes to its owner", async () => {
    const places = await newStore(await temporaryFolder());
    const operation = await applyTo(places);
    for (const file of operation.files) if (file.type === "create") expect(modeOf(file.path)).toBe("600");
    for (const folder of operation.folders) expect(modeOf(folder)).toBe("700");
    expect(modeOf(places.batonHome)).toBe("700");
    for (const name of Object.keys(texts(places.batonHome)))
      expect(modeOf(join(places.batonHome, name))).toBe("600");
    expect(modeOf(places.index)).toBe("644");
  });

  it("shows nothing before the main file, and that one last", async () => {
    const places = await newStore(await temporaryFolder());
    const others = Object.keys(COMPLETE).filter((name) => name !== "projects/a-b/main.jsonl");
    const seen: string[] = [];
    await applyTo(places, session(places), {
      onStep(step) {
        if (!existsSync(places.main)) return;
        seen.push(step);
        for (const name of others) expect(texts(places.store)[name]).toBe(COMPLETE[name]);
      },
    });
    expect(seen).toEqual(["unlink 0", "sync folders", "journal done", "close"]);
  });

  it("knows the main file by its name, whenever it is named", async () => {
    const { store, batonHome } = await newStore(await temporaryFolder());
    const [document, main, other] = ["document", "main", "other"].map((name) => join(store, name)) as [
      string,
      string,
      string,
    ];
    const seen: string[] = [];
    const changes = of(
      ...[document, main, other].map((path): Change => ({ type: "create", path, bytes: "x" })),
    );
    const onStep = (step: string) => {
      if (step.startsWith("link")) seen.push(step);
    };
    const { files } = await apply(changes, { batonHome, facts: { ...facts, path: main }, onStep });
    expect(seen).toEqual(["link 2", "link 0", "link 1"]);
    expect(files.map((file) => file.main)).toEqual([false, true, false]);
  });

  it("reads back complete files that are not visible yet", async () => {
    const places = await newStore(await temporaryFolder());
    let staged = "";
    await applyTo(places, session(places), {
      async readBack(where) {
        staged = where(places.main);
        expect(readFileSync(staged, "utf8")).toBe(COMPLETE["projects/a-b/main.jsonl"]);
        expect(readFileSync(where(places.index), "utf8")).toBe(COMPLETE["index.jsonl"]);
        expect(existsSync(places.main)).toBe(false);
        expect(readFileSync(places.index, "utf8")).toBe(OLD_LINE);
      },
    });
    expect(dirname(staged)).toBe(dirname(places.main));
    expect(basename(staged)).toMatch(/^\.baton-.*\.tmp$/);
    expect(texts(places.store)).toEqual(COMPLETE);
  });

  it("takes bytes in any size and order, and buffers that are used again", async () => {
    const places = await newStore(await temporaryFolder());
    const buffer = Buffer.alloc(1000);
    const expected = new Map<string, string>();
    async function* changes(): AsyncGenerator<Change> {
      for (let at = 0; at < 3000; at++) {
        const path = join(places.store, `${(at * 7) % 100}.jsonl`);
        buffer.fill(`${at} `);
        const bytes = at % 3 === 0 ? buffer : at % 3 === 1 ? `${at}ü`.repeat(300) : `${at}\n`;
        expected.set(path, (expected.get(path) ?? "") + bytes.toString());
        yield { type: "create", path, bytes };
      }
      yield { type: "create", path: join(places.store, "big.jsonl"), bytes: "日".repeat(3_000_000) };
    }
    const operation = await applyTo(places, changes());
    expect(operation.files).toHaveLength(101);
    for (const [path, text] of expected) expect(readFileSync(path, "utf8") === text).toBe(true);
    expect(statSync(join(places.store, "big.jsonl")).size).toBe(9_000_000);
  });
});

describe("a failure leaves the store as it was", () => {
  it("when reading back finds a fault", async () => {
    const places = await newStore(await temporaryFolder());
    const before = picture(places.store);
    const fault = new BatonError("failed", "entry 3 is another one", "report it");
    const readBack = () => Promise.reject(fault);
    await expect(applyTo(places, session(places), { readBack })).rejects.toBe(fault);
    await expectNothingHappened(places, before);
  });

  it.each([0, 1, 4])("when the changes end in an error after %i", async (count) => {
    const places = await newStore(await temporaryFolder());
    const before = picture(places.store);
    const fault = new TypeError("a bug");
    async function* failing() {
      let at = 0;
      for await (const change of session(places)) {
        if (at++ === count) throw fault;
        yield { ...change, bytes: `${" ".repeat(1_100_000)}\n` };
      }
    }
    await expect(applyTo(places, failing())).rejects.toBe(fault);
    await expectNothingHappened(places, before);
  });

  it("when a target exists", async () => {
    const places = await newStore(await temporaryFolder());
    mkdirSync(dirname(places.main), { recursive: true });
    writeFileSync(places.main, "somebody's");
    const before = picture(places.store);
    await expect(applyTo(places)).rejects.toMatchObject({
      code: "refused",
      message: expect.stringContaining(places.main),
    });
    await expectNothingHappened(places, before);
  });

  it("when a target appears at the last moment", async () => {
    const places = await newStore(await temporaryFolder());
    const onStep = (step: string) => {
      if (step === "link 0") writeFileSync(places.main, "somebody's");
    };
    await expect(applyTo(places, session(places), { onStep })).rejects.toMatchObject({ code: "refused" });
    expect(texts(places.store)).toEqual({ "index.jsonl": OLD_LINE, "projects/a-b/main.jsonl": "somebody's" });
    expect((await journaled(places)).state).toBe("failed");
  });

  it("except for what an agent has taken up already, which is reported", async () => {
    const places = await newStore(await temporaryFolder());
    const subagent = places.main.replace(".jsonl", "/subagents/agent-1.jsonl");
    const onStep = (step: string) => {
      if (step !== "link 0") return;
      appendFileSync(subagent, "agent\n");
      writeFileSync(places.main, "somebody's");
    };
    const failed = applyTo(places, session(places), { onStep });
    await expect(failed).rejects.toMatchObject({
      code: "refused",
      hint: expect.stringContaining(`${subagent} stays`),
    });
    expect(readFileSync(subagent, "utf8")).toBe('{"agent":1}\nagent\n');
    expect(Object.keys(texts(places.store))).toHaveLength(3);
    expect(await journaled(places)).toMatchObject({ state: "failed", problems: [expect.any(String)] });
  });

  it("when a file stands where a folder should be", async () => {
    const places = await newStore(await temporaryFolder());
    writeFileSync(join(places.store, "projects"), "");
    const before = picture(places.store);
    await expect(applyTo(places)).rejects.toMatchObject({ code: "not_writable" });
    await expectNothingHappened(places, before);
  });

  it("when changes of a file contradict each other", async () => {
    const places = await newStore(await temporaryFolder());
    const before = picture(places.store);
    const { ino, size } = statSync(places.index);
    const append: Change = { type: "append", path: places.index, inode: ino, size, bytes: NEW_LINE };
    const wrong = [
      { ...append, size: 1 },
      { type: "create", path: places.index, bytes: "x" },
    ] as const;
    for (const second of wrong) {
      await expect(applyTo(places, of(append, second))).rejects.toMatchObject({ code: "failed" });
      expect(picture(places.store)).toEqual(before);
    }
  });

  it("when there is no place for the journal", async () => {
    const places = await newStore(await temporaryFolder());
    const before = picture(places.store);
    writeFileSync(places.batonHome, "");
    const message = expect.stringContaining(places.batonHome);
    await expect(applyTo(places)).rejects.toMatchObject({ code: "not_writable", message });
    expect(picture(places.store)).toEqual(before);
  });
});

describe("a store behind links", () => {
  it("is written beside its real files", async () => {
    const folder = await temporaryFolder();
    mkdirSync(join(folder, "disk"));
    symlinkSync(join(folder, "disk"), join(folder, "store"));
    const places = await newStore(folder);
    renameSync(places.index, join(folder, "elsewhere.jsonl"));
    symlinkSync(join(folder, "elsewhere.jsonl"), places.index);
    const operation = await applyTo(places);
    expect(operation.files[0]?.path).toBe(join(folder, "disk", "projects", "a-b", "main.jsonl"));
    expect(operation.files[2]?.path).toBe(join(folder, "elsewhere.jsonl"));
    expect(texts(places.store)).toEqual(COMPLETE);
    expect(picture(folder)).toMatchObject({
      store: `-> ${join(folder, "disk")}`,
      "disk/index.jsonl": `-> ${join(folder, "elsewhere.jsonl")}`,
    });
  });

  it("that lead nowhere is an error that says so", async () => {
    const folder = await temporaryFolder();
    symlinkSync(join(folder, "not-mounted"), join(folder, "store"));
    const change: Change = { type: "create", path: join(folder, "store", "main.jsonl"), bytes: "x" };
    await expect(apply(of(change), { batonHome: join(folder, "baton"), facts })).rejects.toMatchObject({
      code: "not_writable",
      message: `${join(folder, "store")} is a link to a place that is not there.`,
    });
    expect(existsSync(join(folder, "not-mounted"))).toBe(false);
  });

  it("does not follow a link in place of a new file", async () => {
    const places = await newStore(await temporaryFolder());
    symlinkSync(join(places.store, "victim"), join(places.store, "main.jsonl"));
    const change: Change = { type: "create", path: join(places.store, "main.jsonl"), bytes: "x" };
    await expect(applyTo(places, of(change))).rejects.toMatchObject({ code: "refused" });
    expect(existsSync(join(places.store, "victim"))).toBe(false);
  });
});

describe("an append", () => {
  async function appendTo(
    places: TestStore,
    bytes: string | Uint8Array,
    options: Partial<ApplyOptions> = {},
  ) {
    const { ino, size } = statSync(places.index);
    return applyTo(places, of({ type: "append", path: places.index, inode: ino, size, bytes }), options);
  }

  it("may come in pieces and follow an empty file", async () => {
    const places = await newStore(await temporaryFolder());
    writeFileSync(places.index, "");
    const { ino } = statSync(places.index);
    const piece = (bytes: string): Change => ({
      type: "append",
      path: places.index,
      inode: ino,
      size: 0,
      bytes,
    });
    await applyTo(places, of(piece('{"a":'), piece("1}\n")));
    expect(readFileSync(places.index, "utf8")).toBe('{"a":1}\n');
    expect(statSync(places.index).ino).toBe(ino);
  });

  it("needs a line to begin with", async () => {
    const places = await newStore(await temporaryFolder());
    writeFileSync(places.index, "half a line");
    await expect(appendTo(places, NEW_LINE)).rejects.toMatchObject({ code: "refused" });
    expect(readFileSync(places.index, "utf8")).toBe("half a line");
    await appendTo(places, `\n${NEW_LINE}`);
    expect(readFileSync(places.index, "utf8")).toBe(`half a line\n${NEW_LINE}`);
  });

  it.each(["keep 0", "append 0"])("is refused when the file has grown before %s", async (when) => {
    const places = await newStore(await temporaryFolder());
    const onStep = (step: string) => {
      if (step === when) appendFileSync(places.index, "agent\n");
    };
    await expect(appendTo(places, NEW_LINE, { onStep })).rejects.toMatchObject({ code: "busy" });
    expect(readFileSync(places.index, "utf8")).toBe(`${OLD_LINE}agent\n`);
    expect((await journaled(places)).problems).toEqual([]);
  });

  it("is refused when the file was replaced", async () => {
    const places = await newStore(await temporaryFolder());
    const onStep = (step: string) => {
      if (step !== "append 0") return;
      writeFileSync(`${places.index}.new`, OLD_LINE);
      renameSync(`${places.index}.new`, places.index);
    };
    await expect(appendTo(places, NEW_LINE, { onStep })).rejects.toMatchObject({ code: "busy" });
    expect(readFileSync(places.index, "utf8")).toBe(OLD_LINE);
  });

  it("takes back everything else when it is refused", async () => {
    const places = await newStore(await temporaryFolder());
    const onStep = (step: string) => {
      if (step === "append 2") appendFileSync(places.index, "agent\n");
    };
    await expect(applyTo(places, session(places), { onStep })).rejects.toMatchObject({ code: "busy" });
    expect(picture(places.store)).toEqual({ "index.jsonl": `644 ${OLD_LINE}agent\n` });
  });

  it("stays, and is reported, when an agent went on before the operation failed", async () => {
    const places = await newStore(await temporaryFolder());
    const onStep = (step: string) => {
      if (step !== "link 0") return;
      appendFileSync(places.index, "agent\n");
      writeFileSync(places.main, "somebody's");
    };
    const failed = applyTo(places, session(places), { onStep });
    await expect(failed).rejects.toMatchObject({
      code: "refused",
      hint: expect.stringContaining(`bytes that were appended`),
    });
    expect(readFileSync(places.index, "utf8")).toBe(`${OLD_LINE}${NEW_LINE}agent\n`);
    expect((await journaled(places)).problems).toHaveLength(1);
  });

  it("is not taken for ours when another Baton wrote the same bytes", async () => {
    const places = await newStore(await temporaryFolder());
    const onStep = (step: string) => {
      if (step !== "link 3") return;
      appendFileSync(places.index, NEW_LINE);
      writeFileSync(join(places.store, "results", "1.txt"), "theirs");
    };
    await expect(applyTo(places, session(places), { onStep })).rejects.toMatchObject({ code: "refused" });
    expect(texts(places.store)).toEqual({
      "index.jsonl": COMPLETE["index.jsonl"],
      "results/1.txt": "theirs",
    });
  });

  it("of a file that is gone is an error", async () => {
    const places = await newStore(await temporaryFolder());
    const change: Change = {
      type: "append",
      path: join(places.store, "gone"),
      inode: 1,
      size: 1,
      bytes: "x",
    };
    await expect(applyTo(places, of(change))).rejects.toMatchObject({ code: "not_found" });
  });
});
