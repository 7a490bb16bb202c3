// Opens a session: the survey of its log, its project, and its subagents as sessions of their own.
import { basename } from "node:path";
import type { Source } from "../../session/source.ts";
import { START } from "../../storage/position.ts";
import { type NativeRecord, readRecords } from "../../storage/records.ts";
import type { SessionRef } from "../adapter.ts";
import { fileRef } from "../folder.ts";
import { openSource, type PassOptions, type Reading } from "../open.ts";
import { glanceLog } from "./glance.ts";
import { isOneFile, readOneFile } from "./one-file.ts";
import { agentsOf, idIn, projectOf } from "./paths.ts";
import { fold } from "./read.ts";
import { Ruled, type Ruling } from "./rulings.ts";
import type { State } from "./state.ts";
import { surveyOf } from "./survey.ts";

export async function open(ref: SessionRef): Promise<Source> {
  return openSource(await reading(ref));
}

export async function reading(given: SessionRef): Promise<Reading<State>> {
  const main = await fileRef(given.path, "main");
  const ref = main ? { ...given, files: [main, ...given.files.slice(1)] } : given;
  let surveyed: Promise<Surveyed> | undefined;
  const survey = () => (surveyed ??= surveyOfFile(ref.path, main !== undefined && main.size <= SMALL));
  // Lines may be a copy's and name the folder that they were written in.
  const project = projectOf(ref.path);
  return {
    ref,
    fold,
    provider: "google",
    read: (options) => read(ref.path, options, survey),
    glance: (take, options) => glanceLog(ref.path, take, options),
    children: () => children(ref),
    extra: { ...(project !== undefined && { project }) },
  };
}

export async function* recordsOf(path: string, options: PassOptions): AsyncGenerator<NativeRecord[]> {
  yield* (await isOneFile(path)) ? readOneFile(path, options.from) : readRecords(path, options);
}

/** What the survey has read of so small a file is kept for the first pass, which mostly is the only one. */
const SMALL = 1 << 20;

async function keptOf(path: string): Promise<NativeRecord[][]> {
  const batches: NativeRecord[][] = [];
  for await (const batch of recordsOf(path, { from: START }))
    batches.push(batch.map((record) => ({ ...record, bytes: Buffer.from(record.bytes) })));
  return batches;
}

function newKept(batches: NativeRecord[][]) {
  let kept: NativeRecord[][] | undefined = batches;
  return {
    batches: () => kept,
    /** Once, for a pass over all of it. */
    taken({ from, passes }: PassOptions): NativeRecord[][] | undefined {
      if (from.offset > 0 || passes) return undefined;
      const taken = kept;
      kept = undefined;
      return taken;
    },
  };
}

interface Surveyed {
  rulings: ReadonlyMap<number, Ruling>;
  own: ReturnType<typeof newKept> | undefined;
}

async function surveyOfFile(path: string, isSmall: boolean): Promise<Surveyed> {
  const own = isSmall ? newKept(await keptOf(path)) : undefined;
  return { own, rulings: await surveyOf(() => own?.batches() ?? recordsOf(path, { from: START })) };
}

async function* read(
  path: string,
  options: PassOptions,
  survey: () => Promise<Surveyed>,
): AsyncGenerator<NativeRecord[]> {
  if (options.raw) {
    yield* recordsOf(path, options);
    return;
  }
  const { rulings, own } = await survey();
  for await (const batch of own?.taken(options) ?? recordsOf(path, options))
    yield batch.map((record) =>
      record.value === undefined
        ? record
        : { ...record, value: new Ruled(record.value, rulings.get(record.index)) },
    );
}

async function* children(ref: SessionRef): AsyncGenerator<Source> {
  const files = ref.files.filter(({ role }) => role === "subagent");
  for (const file of files.length > 0 ? files : await agentsOf(ref.path, ref.originalId)) {
    const originalId = (await idIn(file.path)) ?? basename(file.path, ".jsonl");
    const main = { ...file, role: "main" as const };
    yield open({ agent: ref.agent, originalId, path: file.path, files: [main], parent: ref.originalId });
  }
}
