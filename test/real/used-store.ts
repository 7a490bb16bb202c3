// The database of an OpenCode that was used before: into it a session is written as rows, and not imported.
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll } from "vitest";
import { openRig } from "./harness.ts";

const DATABASE = ".local/share/opencode/opencode.db";

let made: Promise<string> | undefined;

afterAll(async () => {
  const path = await made;
  if (path) await rm(dirname(path), { recursive: true });
});

/** Lays the database into a home; the CLI makes it once. */
export async function layUsedStore(home: string): Promise<void> {
  made ??= makeStore();
  await mkdir(dirname(join(home, DATABASE)), { recursive: true });
  await copyFile(await made, join(home, DATABASE));
}

async function makeStore(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "baton-used-store-"));
  const path = join(folder, "opencode.db");
  const rig = await openRig("opencode");
  try {
    await rig.run(["session", "list"]);
    const database = new DatabaseSync(join(rig.home, DATABASE));
    database.prepare("VACUUM INTO ?").run(path);
    database.close();
  } finally {
    await rig.close();
  }
  return path;
}
