// A home with some files in it, for tests of what is known of an agent without starting it.
import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Home } from "../../src/adapters/adapter.ts";

/** Whatever is no text is written as JSON; "folder" stands for one, which nobody can read as a file. */
export type Files = Readonly<Record<string, unknown>>;

export async function homeWith(files: Files = {}, env: Record<string, string> = {}): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), "baton-account-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, name);
    mkdirSync(content === "folder" ? path : dirname(path), { recursive: true });
    if (content !== "folder")
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  }
  const placed = Object.entries(env).map(([name, value]) => [name, value.replace("~", dir)]);
  return { dir, env: Object.fromEntries(placed) };
}

export const lines = (...records: readonly unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join("");

/** When a file was written, as far as the disk says. */
export function dated(home: Home, name: string, time: string): void {
  utimesSync(join(home.dir, name), new Date(time), new Date(time));
}
