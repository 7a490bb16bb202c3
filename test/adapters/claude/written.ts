// Writes a session into a folder of its own and reads it back.
import { mkdir, mkdtemp, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Target } from "../../../src/adapters/adapter.ts";
import { claude } from "../../../src/adapters/claude/index.ts";
import { refOf } from "../../../src/adapters/claude/paths.ts";
import { pathOf, plan, write } from "../../../src/adapters/claude/write.ts";
import type { Loss } from "../../../src/session/losses.ts";
import type { Source, Stream } from "../../../src/session/source.ts";

export const NOW = new Date("2026-11-15T12:00:00.000Z");

function targetIn(dir: string, more: Partial<Target> = {}): Target {
  return {
    home: { dir, env: {} },
    originalId: "0c0ffee0-0000-4000-8000-000000000001",
    cwd: "/home/dev/project",
    version: "2.1.325",
    now: NOW,
    configuration: { mcpServers: [] },
    ...more,
  };
}

interface Written {
  losses: Loss[];
  /** Path → content, as planned. */
  files: Map<string, Buffer>;
  /** What each record of the main file says, in order. */
  says: (readonly [string, string])[];
}

async function written(stream: Stream, target: Target): Promise<Written> {
  const losses: Loss[] = [];
  const says: (readonly [string, string])[] = [];
  async function* records() {
    for await (const item of write(stream, target)) {
      if (item.type === "loss") losses.push(item.loss);
      else {
        if (item.file === "main") says.push(...item.says);
        yield item;
      }
    }
  }
  const files = new Map<string, Buffer>();
  for await (const change of plan(records(), target)) {
    const known = files.get(change.path) ?? Buffer.alloc(0);
    files.set(change.path, Buffer.concat([known, Buffer.from(change.bytes)]));
  }
  return { losses, files, says };
}

/** Writes a session to disk and opens it again. */
export async function writtenAndRead(
  stream: Stream,
  more: Partial<Target> = {},
): Promise<Written & { source: Source; lines: Record<string, unknown>[] }> {
  // The home of the test file, which goes away with it.
  const dir = await mkdtemp(join(homedir(), "claude-"));
  const target = targetIn(dir, more);
  const result = await written(stream, target);
  for (const [path, bytes] of result.files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    // Records without a time are as old as their file.
    await utimes(path, NOW, NOW);
  }
  const main = pathOf(target);
  const ref = await refOf(main);
  if (!ref) throw new Error("no main file was written");
  const lines = String(result.files.get(main)).split("\n").flatMap(parsed);
  return { ...result, source: await claude.open(ref), lines };
}

/** Copies of damaged files hold lines that are not JSON. */
function parsed(line: string): Record<string, unknown>[] {
  try {
    return [JSON.parse(line) as Record<string, unknown>];
  } catch {
    return [];
  }
}
