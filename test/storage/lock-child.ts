// Takes a lock and lets go of it, again and again, and fails if ever another holds it too.
import { closeSync, openSync, unlinkSync } from "node:fs";
import { acquire } from "../../src/storage/lock.ts";

const [path = "", times = ""] = process.argv.slice(2);
for (let at = 0; at < Number(times); at++) {
  const lock = await acquire(path, 60_000);
  if (!lock) throw new Error("it was never let go of");
  closeSync(openSync(`${path}.held`, "wx"));
  unlinkSync(`${path}.held`);
  lock.release();
  await new Promise((done) => setImmediate(done));
}
