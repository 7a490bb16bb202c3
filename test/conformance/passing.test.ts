// A reader says of which records it only hands long texts on. Whatever text of a record becomes long, leaving it
// in its file must make no difference to what the record says.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type NativeRecord, readRecords } from "../../src/storage/records.ts";
import { isReferenced, newResolver, REFERENCED_FROM } from "../../src/storage/reference.ts";
import { cases, laidOut, privateHome } from "./fixtures.ts";

const named = cases
  .filter(({ adapter }) => adapter.fold.passes)
  .map((one) => [`${one.adapter.id} ${one.fixture}`, one] as const);

describe.each(named)("%s", (_, one) => {
  it("says the same when a long text stays in its file", async () => {
    const { fold } = one.adapter;
    const folder = await privateHome();
    for (const ref of (await laidOut(one)).filter(({ path }) => path.endsWith(".jsonl"))) {
      const state = fold.initial(ref);
      for await (const batch of readRecords(ref.path))
        for (const record of batch) {
          const path = join(folder.dir, "lengthened.jsonl");
          await writeFile(
            path,
            lengthened(record.value).map((value) => `${JSON.stringify(value)}\n`),
          );
          const whole = await recordsOf(path);
          const referenced = await recordsOf(path, fold.passes);
          for (const [at, long] of whole.entries()) {
            const before = JSON.stringify(state);
            expect(resolved(stepped(before, record, referenced[at]))).toEqual(stepped(before, record, long));
          }
          fold.step(state, record);
        }
    }

    /** What a record with another value says, and what is remembered of it. */
    function stepped(before: string, record: NativeRecord, other: NativeRecord | undefined): unknown {
      const state = JSON.parse(before);
      const folded = fold.step(state, { ...record, value: other?.value });
      return JSON.parse(JSON.stringify({ folded, state }));
    }
  });
});

async function recordsOf(path: string, passes?: (value: unknown) => boolean): Promise<NativeRecord[]> {
  return (await Array.fromAsync(readRecords(path, { passes }))).flat();
}

/** The value as often as it has texts, each time with another one of them long. */
function lengthened(value: unknown): unknown[] {
  if (typeof value === "string") return longOf(value);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    lengthened(inner).map((long) =>
      Array.isArray(value) ? value.with(Number(key), long) : { ...value, [key]: long },
    ),
  );
}

const FILLER = "Much more was said. ".repeat(REFERENCED_FROM / 8);

/** Text goes on; JSON inside a text stays what it is. */
function longOf(text: string): string[] {
  if (/^\{.*\}$/s.test(text)) return [text.replace("{", `{"filler":"${FILLER}",`).replace(",}", "}")];
  return text.length > REFERENCED_FROM ? [] : [`${text}\n${FILLER}${text}`];
}

function resolved(value: unknown): unknown {
  const json = JSON.stringify(value);
  if (!isReferenced(json)) return value;
  const resolver = newResolver();
  try {
    const pieces = [...resolver.pieces(json)].map((piece) => Buffer.from(piece as string));
    return JSON.parse(Buffer.concat(pieces).toString());
  } finally {
    resolver.close();
  }
}
