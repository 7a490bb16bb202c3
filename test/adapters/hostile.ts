// What every reader is tried with: files that somebody damaged, and what must hold of them all the same.

import type { Adapter, SessionRef } from "../../src/adapters/adapter.ts";
import { sessionSchema } from "../../src/session/schema.ts";
import { collect } from "../../src/session/source.ts";
import { visible } from "../../src/transform/visible.ts";
import { fc } from "../property.ts";

/** What is wrong with how a file of these bytes is read; throwing is worst. */
export async function wrongIn(adapter: Adapter, ref: SessionRef, bytes: Uint8Array): Promise<string[]> {
  const source = await adapter.open(ref);
  const session = await collect(source, { records: true });
  const wrong: string[] = [];
  if (session.timeline.length !== source.skeleton.length) wrong.push("two passes differ");
  if (!sessionSchema.safeParse(session).success) wrong.push("the session is not valid");
  const raw = (session.records ?? []).map((record) => Buffer.from(record.raw, record.encoding ?? "utf8"));
  if (!Buffer.concat(raw).equals(bytes)) wrong.push("bytes are lost");
  for await (const entry of visible(source).entries()) if (entry.note) wrong.push("a note is visible");
  await adapter.recognise(ref.path);
  return wrong;
}

const share = fc.double({ min: 0, max: 1, noNaN: true });
const change = fc.record({ at: share, byte: fc.integer({ min: 0, max: 255 }) });

/** One of the files with some bytes changed, and often without its end. */
export function damaged<T extends { bytes: Uint8Array }>(files: readonly T[]): fc.Arbitrary<T> {
  return fc.tuple(fc.nat(), fc.array(change, { maxLength: 20 }), share).map(([which, changes, end]) => {
    const file = files[which % files.length] as T;
    const bytes = Buffer.from(file.bytes);
    for (const { at, byte } of changes) bytes[Math.floor(at * bytes.length)] = byte;
    return { ...file, bytes: bytes.subarray(0, Math.ceil(bytes.length * (end > 0.7 ? 1 : end))) };
  });
}
