// Writes a pack anew with a part of what is in it. The copy has its name only when it is whole and on the disk.
import { open, rename } from "node:fs/promises";
import { dirname } from "node:path";
import { sync, unlinkIfAny } from "./disk.ts";
import { openPack, type Packed, type Place, scanPack } from "./pack.ts";

const SYNC_EVERY = 16 << 20;

export interface Repacked {
  size: number;
  /** Where the frames that were kept are now, by where they were. */
  places: Map<number, Place>;
}

export async function repack(from: string, to: string, keep: (found: Packed) => boolean): Promise<Repacked> {
  const temporary = `${to}.tmp`;
  await unlinkIfAny(temporary);
  const places = new Map<number, Place>();
  const writer = await openPack(temporary, 0);
  const file = await open(from, "r");
  let synced = 0;
  try {
    for await (const found of scanPack(from)) {
      if (!keep(found)) continue;
      if (found.type === "note") writer.note(found.text);
      else if (found.type === "damaged") writer.raw(found.bytes);
      else {
        const { offset, length } = found.place;
        const { buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, offset);
        places.set(offset, writer.frame(found.hash, found.size, buffer));
      }
      if (writer.size() - synced < SYNC_EVERY) continue;
      synced = writer.size();
      await writer.sync();
    }
    await writer.sync();
  } finally {
    await file.close();
    await writer.close();
  }
  await rename(temporary, to);
  await sync(dirname(to));
  return { size: writer.size(), places };
}
