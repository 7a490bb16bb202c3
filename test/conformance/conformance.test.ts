// What every adapter owes, checked on every fixture of every agent: reading in pieces, in windows and over cut
// strings is the same as reading once; nothing is lost on the way through the universal format and back; and
// what another agent gets is what was meant, except for what the loss report names.
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Adapter, SessionRef } from "../../src/adapters/adapter.ts";
import { readOneFile } from "../../src/adapters/codex/one-file.ts";
import { adapters } from "../../src/adapters/index.ts";
import { formats } from "../../src/formats/index.ts";
import type { Loss } from "../../src/session/losses.ts";
import { LOSSES } from "../../src/session/losses.ts";
import { sessionSchema } from "../../src/session/schema.ts";
import type { Entry, SessionRecord } from "../../src/session/session.ts";
import { collect, type Folded, type Source, type Stream } from "../../src/session/source.ts";
import { entryText } from "../../src/session/text.ts";
import { START } from "../../src/storage/position.ts";
import { type NativeRecord, readRecords } from "../../src/storage/records.ts";
import type { RowLine } from "../../src/storage/rows.ts";
import { bundle } from "../../src/switch/bundle.ts";
import { carry } from "../../src/switch/carry.ts";
import { prepare } from "../../src/switch/prepare.ts";
import { visible } from "../../src/transform/visible.ts";
import { cases, laidOut, privateHome, usedHome } from "./fixtures.ts";

const CWD = "/home/dev/project";
/** Codex CLI has no place for a title in its files and shows the first prompt (src/adapters/codex/README.md). */
const UNTITLED: ReadonlySet<string> = new Set(["codex"]);
const LARGEST_STATE = 64 << 10;
const named = cases.map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const);

describe.each(named)("%s", (_, one) => {
  const { adapter } = one;

  it("is found, opens and is a valid session whose losses are on the list", async () => {
    const refs = await laidOut(one);
    expect(refs.length).toBeGreaterThan(0);
    expect(new Set(refs.map(({ originalId }) => originalId)).size).toBe(refs.length);
    for (const ref of refs) {
      const source = await adapter.open(ref);
      const session = JSON.parse(JSON.stringify(await collect(source, { records: true })));
      expect(sessionSchema.safeParse(session).error).toBeUndefined();
      for (const { kind, detail } of source.losses) expect([LOSSES[kind], detail]).not.toContain(undefined);
    }
  });

  it("folds in pieces, over cut strings and in windows as it does at once", async () => {
    for (const ref of await laidOut(one)) {
      const records = await recordsOf(ref, adapter);
      expect(records.length).toBeGreaterThan(0);
      const whole = adapter.fold.initial(ref);
      const cut = adapter.fold.initial(ref);
      let pieces = JSON.stringify(adapter.fold.initial(ref));
      for (const record of records) {
        const state = JSON.parse(pieces);
        const expected = structuredClone(adapter.fold.step(whole, record));
        expect(adapter.fold.step(state, record)).toEqual(expected);
        pieces = JSON.stringify(state);
        expect(pieces.length).toBeLessThan(LARGEST_STATE);
        const short = adapter.fold.step(cut, { ...record, ...shortened(record) });
        expect(short.map(structure)).toEqual(expected.map(structure));
      }
      await windowsAreSlices(await adapter.open(ref));
    }
  });

  // An agent that is only read gets nothing back.
  it.skipIf(!adapter.write)("comes back byte for byte through the universal format", async () => {
    const folder = await privateHome();
    for (const ref of (await laidOut(one)).filter(isWhole)) {
      for (const format of formats.filter(({ takes }) => takes === "all")) {
        const path = join(folder.dir, `session.${format.extension}`);
        const text = await Array.fromAsync(format.write(await adapter.open(ref)));
        await writeFile(path, text.join(""));
        const source = (await format.read?.(path)) as Source;
        const { pieces, losses } = await bundle({
          source,
          to: adapter,
          home: folder,
          path: join(folder.dir, "back"),
        });
        const back = (await Array.fromAsync(pieces)).filter(
          (piece) => piece.path === join(folder.dir, "back"),
        );
        const bytes = Buffer.concat(back.map((piece) => Buffer.from(piece.bytes)));
        // Records that the agent would refuse today are written anew, which is reported.
        if (losses.some(({ kind }) => kind === "records_dropped"))
          expect(await toldBy(await exchanged(bytes, source, adapter))).toEqual(
            expect.arrayContaining(await toldBy(await adapter.open(ref))),
          );
        // A session that is rows, or many files, comes back as the agent's own file for such.
        else if (adapter.exchange)
          expect(await saidBy(await exchanged(bytes, source, adapter))).toEqual(
            await saidBy(await adapter.open(ref)),
          );
        else expect(bytes.equals(await readFile(ref.path))).toBe(true);
      }
    }
  });

  const others = adapters.filter((other) => other !== adapter && other.write);
  it.each(others.map((to) => [to.id, to] as const))("arrives in %s", async (__, to) => {
    for (const ref of (await laidOut(one)).filter(isWhole)) {
      const source = await adapter.open(ref);
      const home = await usedHome(to);
      const meant = await Array.fromAsync(prepare(visible(source), { thinking: "drop" }).entries());
      if (!meant.some(({ type }) => type === "user" || type === "assistant" || type === "tool_call"))
        continue;
      const carried = await carry({
        source,
        to,
        home,
        batonHome: join(home.dir, ".baton"),
        cwd: CWD,
        kind: "resume",
        // Some hold results without calls.
        yes: true,
      });
      const [found] = (await Array.fromAsync(to.discover(home))).filter(
        ({ originalId }) => originalId === carried.originalId,
      );
      expect(found?.path).toBe(carried.path);
      const there = await to.open(found as SessionRef);
      const arrived = await Array.fromAsync(visible(there).entries());
      expectInOrder(texts(arrived, carried.losses), texts(meant, carried.losses), carried.losses);
      expectInOrder(outputs(arrived), outputs(meant), carried.losses);
      expect(argumentsMissing(meant, arrived, carried.losses)).toEqual([]);
      expect(unpaired(arrived)).toEqual([]);
      expect(media(arrived, [])).toEqual(media(meant, carried.losses));
      expect(failed(arrived)).toEqual(failed(meant));
      if (!UNTITLED.has(to.id)) expect(there.header.title).toBe(source.header.title);
      expect(await childrenOf(there)).toEqual(await childrenOf(source));
      const errors = carried.losses.filter(({ severity }) => severity === "error");
      const orphans = await orphansIn(visible(source));
      expect(errors.map(({ kind, at }) => [kind, at.entry])).toEqual(
        orphans.map((id) => ["result_dropped", id]),
      );
    }
  });
});

/** Results without a call before them, the only ones that may be missing. */
async function orphansIn({ entries }: Stream): Promise<string[]> {
  const calls = new Set<string>();
  const found: string[] = [];
  for await (const entry of entries()) {
    if (entry.type === "tool_call") calls.add(entry.id);
    if (entry.type === "tool_result" && !calls.has(entry.callId)) found.push(entry.id);
  }
  return found;
}

async function exchanged(bytes: Buffer, { header }: Source, adapter: Adapter): Promise<Source> {
  const { dir } = await privateHome();
  const path = join(dir, "exchanged.json");
  await writeFile(path, bytes);
  const ref = await adapter.recognise(path);
  expect(ref?.originalId).toBe(header.source.originalId);
  return adapter.open(ref as SessionRef);
}

/** Every message and part with its data; in the file the ids stand inside the objects, in a database in columns. */
async function toldBy(source: Source) {
  const entries = await Array.fromAsync(visible(source).entries());
  return entries.map((entry) => [entry.type, entryText(entry)]);
}

async function saidBy(source: Source) {
  const lines = await Array.fromAsync(rawOf(source), ({ raw }) => JSON.parse(raw) as RowLine);
  const messages = lines.filter(({ table }) => table === "message").map(withoutColumns);
  return { title: source.header.title, entries: await Array.fromAsync(source.entries()), messages };
}

function withoutColumns({ table, row, data, rows = [] }: RowLine): unknown {
  const { id: _, sessionID: __, messageID: ___, ...rest } = Object(data) as Record<string, unknown>;
  return { table, id: row.id, data: rest, rows: rows.map(withoutColumns) };
}

/** Sessions with a main file of their own, as opposed to threads inside another's. */
const isWhole = ({ thread, parent }: SessionRef) => thread === undefined && parent === undefined;

/** Lines as they stand in the file; of other stores, what the adapter takes for its records. */
async function recordsOf(ref: SessionRef, adapter: Adapter): Promise<NativeRecord[]> {
  const found: NativeRecord[] = [];
  // Only here the bytes of one record are not the JSON that it is made of.
  if (adapter.id === "codex" && ref.path.endsWith(".json")) return readOneFile(ref.path, START);
  if (ref.path.endsWith(".jsonl")) for await (const batch of readRecords(ref.path)) found.push(...batch);
  else for await (const record of rawOf(await adapter.open(ref))) found.push(nativeOf(record, found.at(-1)));
  return found;
}

async function* rawOf({ records }: Source): AsyncGenerator<SessionRecord> {
  if (records) yield* records();
}

function nativeOf({ index, raw }: SessionRecord, before: NativeRecord | undefined): NativeRecord {
  const bytes = Buffer.from(raw);
  const offset = before ? before.offset + before.length : 0;
  const place = { index, line: index + 1, offset, length: bytes.length };
  const value: unknown = raw.trim() === "" ? undefined : JSON.parse(raw);
  return { ...place, value, whole: true, terminated: true, losses: [], bytes };
}

const KEPT = 600;

/** What the record looks like in a pass over cut strings. */
function shortened({ value }: NativeRecord): { value: unknown; whole: boolean } {
  let whole = true;
  const cut = JSON.stringify(value, (_, inner: unknown) => {
    if (typeof inner !== "string" || inner.length <= KEPT) return inner;
    whole = false;
    return inner.slice(0, KEPT);
  });
  return { value: cut === undefined ? undefined : JSON.parse(cut), whole };
}

function structure(folded: Folded): unknown {
  if (folded.type === "link" || folded.type === "head" || folded.type === "usage") return folded;
  if (folded.type !== "entry") return folded.type;
  const { id, type, parent, turn, injected, note } = folded.entry;
  const callId = folded.entry.type === "tool_result" ? folded.entry.callId : undefined;
  return { id, type, parent, turn, injected, note, callId };
}

async function windowsAreSlices(source: Source): Promise<void> {
  const all = await Array.fromAsync(source.entries());
  expect(all.length).toBe(source.skeleton.length);
  const middle = Math.floor(all.length / 2);
  for (const [from, to] of [
    [0, middle],
    [middle, all.length],
    [Math.max(middle - 2, 0), middle + 2],
  ] as const)
    expect(await Array.fromAsync(source.entries({ from, to }))).toEqual(all.slice(from, to));
}

/** What people and models said, in order. What an agent tells its model about itself does not travel. */
function texts(entries: readonly Entry[], losses: readonly Loss[]): string[] {
  const left = new Set(losses.flatMap(({ kind, at }) => (kind === "context_dropped" ? [at.entry] : [])));
  const said: string[] = [];
  for (const entry of entries) {
    if (entry.type !== "user" && entry.type !== "assistant") continue;
    if (left.has(entry.id) || entry.content.trim() === "") continue;
    said.push(`${entry.type}: ${folded(entry.content)}`);
  }
  return said;
}

function outputs(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === "tool_result" && entry.output !== "" ? [folded(entry.output)] : [],
  );
}

/** The bytes of images and documents, except for those of entries where such were announced as left out. */
function media(entries: readonly Entry[], losses: readonly Loss[]): string[] {
  const isLeft = (type: "image" | "document", ids: readonly string[]) =>
    losses.some(
      ({ kind, at }) =>
        (kind === `${type}_dropped` || (type === "document" && kind === "part_converted")) &&
        [at.entry ?? "", ...(at.entries ?? [])].some((id) => ids.includes(id)),
    );
  return entries.flatMap((entry) => {
    const ids = entry.type === "tool_result" ? [entry.id, entry.callId] : [entry.id];
    const parts = "parts" in entry ? (entry.parts ?? []) : [];
    return parts.flatMap((part) => {
      if (part.type !== "image" && part.type !== "document") return [];
      return part.data === undefined || isLeft(part.type, ids) ? [] : [`${part.type} ${part.data}`];
    });
  });
}

/** What the calls that failed put out. */
function failed(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry) =>
    entry.type === "tool_result" && entry.success === false ? [folded(entry.output)] : [],
  );
}

async function childrenOf(source: Source): Promise<string[][]> {
  return Array.fromAsync(source.children(), async (child) =>
    texts(await Array.fromAsync(visible(child).entries()), []),
  );
}

/** How the parts of a message are joined is each agent's own. */
function folded(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Losses that put a note in the place of something, or turn one call into several. */
const ANNOUNCED: ReadonlySet<string> = new Set([
  "image_dropped",
  "document_dropped",
  "part_converted",
  "tool_split",
  "role_changed",
]);

/** Everything that was meant is there in its order; whatever is there besides was announced. */
function expectInOrder(found: readonly string[], meant: readonly string[], losses: readonly Loss[]): void {
  const extra: string[] = [];
  let due = 0;
  for (const text of found) {
    if (due < meant.length && text.startsWith(meant[due] as string)) due++;
    else extra.push(text);
  }
  expect({ missing: meant.slice(due), found: due < meant.length ? found : [] }).toEqual({
    missing: [],
    found: [],
  });
  const announced = losses.filter(({ kind }) => ANNOUNCED.has(kind));
  if (announced.length === 0) expect(extra).toEqual([]);
}

/** Lines of arguments that no call of the other agent holds, although no loss says so. */
function argumentsMissing(
  meant: readonly Entry[],
  arrived: readonly Entry[],
  losses: readonly Loss[],
): string[] {
  const there = arrived.flatMap((entry) =>
    entry.type === "tool_call" ? [...strings(entry.input), ...strings(entry.originalInput)] : [],
  );
  const excused = new Set(
    losses.flatMap(({ kind, at }) =>
      kind === "tool_argument_dropped" || kind === "edit_approximated" ? [at.entry] : [],
    ),
  );
  return meant.flatMap((entry) => {
    if (entry.type !== "tool_call" || excused.has(entry.id)) return [];
    const lines = strings(said(entry)).flatMap((text) => text.split("\n"));
    return lines.filter((line) => line.trim() !== "" && !there.some((text) => text.includes(line)));
  });
}

/** The arguments that every agent must hold: a patch is told in each one's own way, its lines are not. */
function said({ tool, input }: Extract<Entry, { type: "tool_call" }>): unknown {
  // A label for people, and the folder that the session is in anyway.
  const { description: _, cwd, ...rest } = input;
  if (tool !== "edit" || !Array.isArray(input.changes)) return cwd === CWD ? rest : { cwd, ...rest };
  return input.changes.map(({ path, to, content, diff }) => [path, to, content, hunkLines(diff)]);
}

function hunkLines(diff: unknown): string[] {
  const lines = typeof diff === "string" ? diff.split("\n") : [];
  return lines.filter((line) => !/^(?:@@|\*\*\* )/.test(line)).map((line) => line.slice(1));
}

/** Every string inside a value, and those inside strings that are JSON. */
function strings(value: unknown): string[] {
  if (typeof value === "string") return [value, ...inner(value)];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(strings);
}

function inner(text: string): string[] {
  if (!/^[[{]/.test(text)) return [];
  try {
    return strings(JSON.parse(text));
  } catch {
    // Code mode and patches begin like JSON without being it.
    return [];
  }
}

function unpaired(entries: readonly Entry[]): string[] {
  const calls = entries.flatMap((entry) => (entry.type === "tool_call" ? [entry.id] : []));
  const results = entries.flatMap((entry) => (entry.type === "tool_result" ? [entry.callId] : []));
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))];
}
