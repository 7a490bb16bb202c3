// Opens a session: the parts of its file as records, once the file is the one its folder promises.
import { readFile, stat } from "node:fs/promises";
import { BatonError } from "../../session/error.ts";
import type { Source } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import type { SessionRef } from "../adapter.ts";
import { openSource, type Reading } from "../open.ts";
import { isObject, type Json, PROVIDERS } from "./native.ts";
import { folderProvider } from "./paths.ts";
import { fold, type State } from "./read.ts";

const LARGEST = 1 << 28;

export async function open(ref: SessionRef): Promise<Source> {
  return openSource(await reading(ref));
}

export async function reading(ref: SessionRef): Promise<Reading<State>> {
  const provider = String((await session(ref.path)).provider);
  return {
    ref,
    fold,
    provider: PROVIDERS[provider] ?? provider,
    async *read({ from, raw }) {
      const records = recordsOf(await session(ref.path));
      const wanted = records.slice(from.index);
      yield raw ? wanted.map((record) => ({ ...record, value: undefined })) : wanted;
    },
  };
}

async function session(path: string): Promise<Json> {
  const { size } = await stat(path);
  if (size > LARGEST) throw damaged(path, `has ${Math.round(size / 1e6)} MB, too much for one JSON document`);
  let value: unknown;
  try {
    value = JSON.parse((await readFile(path, "utf8")).replace(/^\uFEFF/, ""));
  } catch (error) {
    throw damaged(path, `is not JSON (${error instanceof Error ? error.message : String(error)})`, error);
  }
  if (!isObject(value) || !Array.isArray(value.history)) throw damaged(path, "has no history");
  const folder = folderProvider(path);
  if (folder !== undefined && value.provider !== folder)
    throw damaged(path, `says provider ${JSON.stringify(value.provider)} in the folder of ${folder}`);
  return value;
}

function damaged(path: string, problem: string, cause?: unknown): BatonError {
  return new BatonError(
    "damaged",
    `${path} ${problem}.`,
    "yume-cli would not take it for a session of that folder either; a backup may be better.",
    cause,
  );
}

/** Everything but the history, then each message. */
function recordsOf({ history, ...facts }: Json): NativeRecord[] {
  const values: unknown[] = [facts, ...(history as unknown[])];
  return values.map((value, index) => {
    const bytes = Buffer.from(`${JSON.stringify(value)}\n`);
    const place = { index, line: 1, offset: index, length: bytes.length };
    return { ...place, value, whole: true, terminated: true, losses: [], bytes };
  });
}
