// A whole home with the sessions of four agents: `node bench/home.ts DIR 1000` makes 1,000 in 180 MB, the same bytes
// every time. Sessions of real people are as different in size, language and age as these.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeClaude } from "./home/claude.ts";
import { writeCodex } from "./home/codex.ts";
import { writeGemini } from "./home/gemini.ts";
import { openCodeStore } from "./home/opencode.ts";
import { plan } from "./home/plan.ts";
import { makeProject, type Project } from "./home/project.ts";
import { makeScene, type Scene } from "./home/scene.ts";

const DONE = "corpus-is-complete";

/** A home with that many sessions, made at the first time and kept in the temp folder for the next. */
export function cachedHome(sessions: number): string {
  const dir = cachedFolder(sessions);
  if (!existsSync(join(dir, DONE))) {
    const made = `${dir}.${process.pid}`;
    makeHome(made, sessions);
    rmSync(dir, { recursive: true, force: true });
    renameSync(made, dir);
  }
  return dir;
}

function cachedFolder(sessions: number): string {
  return join(tmpdir(), `baton-bench-home-${generatorHash()}`, String(sessions));
}

/** For who changes the kept home and takes it back: when that does not come to its end, it is made anew next time. */
export async function whileChanged<T>(sessions: number, change: () => Promise<T>): Promise<T> {
  const mark = join(cachedFolder(sessions), DONE);
  rmSync(mark);
  const result = await change();
  writeFileSync(mark, "");
  return result;
}

export function makeHome(dir: string, sessions: number): void {
  mkdirSync(dir, { recursive: true });
  const projects = new Map<number, Project>();
  const projectOf = (number: number): Project => {
    const known = projects.get(number) ?? makeProject(number);
    projects.set(number, known);
    return known;
  };
  const store = openCodeStore(dir);
  const write: Record<string, (scene: Scene) => void> = {
    claude: writeClaude,
    codex: writeCodex,
    gemini: writeGemini,
    opencode: store.write,
  };
  for (const planned of plan(sessions))
    write[planned.agent]?.(makeScene(dir, planned, projectOf(planned.project)));
  store.close();
  writeFileSync(join(dir, DONE), "");
}

/** Another generator makes another corpus. */
function generatorHash(): string {
  const folder = join(import.meta.dirname, "home");
  const hash = createHash("sha256").update(readFileSync(import.meta.filename));
  for (const name of readdirSync(folder).sort()) hash.update(readFileSync(join(folder, name)));
  return hash.digest("hex").slice(0, 12);
}

if (import.meta.main) {
  const [dir, sessions] = process.argv.slice(2);
  if (dir === undefined || sessions === undefined) throw new Error("usage: node bench/home.ts DIR SESSIONS");
  makeHome(resolve(dir), Number(sessions));
}
