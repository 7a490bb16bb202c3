// The sessions that the real CLIs wrote (`samples/`), each in a home of its own.
import { cp, readFile } from "node:fs/promises";
import { join } from "node:path";
import { named, newWorld, type There, type World } from "./world.ts";

const SAMPLES = join(import.meta.dirname, "../../samples");
export const NAMES = ["claude", "codex", "gemini", "opencode"] as const;

export async function sample(name: string): Promise<{ world: World; original: There }> {
  const world = await newWorld();
  await cp(join(SAMPLES, name, "native"), world.home.dir, { recursive: true });
  const { id } = JSON.parse(await readFile(join(SAMPLES, name, "about.json"), "utf8"));
  return { world, original: { agent: named(name), id } };
}
