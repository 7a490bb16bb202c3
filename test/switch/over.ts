// Switches between the stores of real agents, and what is then in them.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { adapters } from "../../src/adapters/index.ts";
import type { Entry, Part } from "../../src/session/session.ts";
import type { Source } from "../../src/session/source.ts";
import { type Switched, type SwitchOver, switchOver } from "../../src/switch/switch-over.ts";
import { visible } from "../../src/transform/visible.ts";
import { find, named, type There, type World } from "./world.ts";

/** Models that the agents go on with. */
export const MODELS: Record<string, string> = {
  claude: "claude-sonnet-4-5-20250929",
  codex: "gpt-5.5",
  gemini: "gemini-2.5-pro",
  opencode: "anthropic/claude-sonnet-4-5",
};

export interface Over extends Switched {
  there: There;
}

/** What was asked, for a session that is in a store or for one that is nobody's. */
export async function over(
  world: World,
  from: There | Source,
  to: string,
  more: Partial<SwitchOver> = {},
): Promise<Over> {
  const agent = named(to);
  const found = "agent" in from ? await find(world, from) : { source: from };
  const switched = await switchOver({
    ...world,
    source: found.source,
    ...("ref" in found && { from: found.ref }),
    to: agent,
    ...(MODELS[to] !== undefined && { model: MODELS[to] }),
    adapters,
    installed: { version: agent.proven.at(-1) ?? "1.0.0", path: `/bin/${to}` },
    kind: "resume",
    ...more,
  });
  return { ...switched, there: { agent, id: switched.originalId } };
}

/** What the model of the session sees. */
export async function entriesOf(world: World, there: There): Promise<Entry[]> {
  const { source } = await find(world, there);
  return Array.fromAsync(visible(source).entries());
}

/** What was said, called and answered, in order; context that an agent tells of itself is left out. */
export function story(entries: readonly Entry[]): string[] {
  return entries.flatMap((entry): string[] => {
    switch (entry.type) {
      case "user":
      case "assistant":
        return entry.content.trim() === "" && !entry.parts?.length ? [] : [`${entry.type}: ${entry.content}`];
      case "tool_call":
        return [`call ${entry.tool}`];
      case "tool_result":
        return [`${entry.success ? "result" : "failure"}: ${entry.output || entry.error}`];
      case "switch":
        return [`${entry.switch.fromProvider} → ${entry.switch.toProvider}`];
      default:
        return [];
    }
  });
}

export function partsIn(entries: readonly Entry[], type: Part["type"]): Part[] {
  return entries.flatMap(({ parts = [] }) => parts.filter((part) => part.type === type));
}

/** Everything below the home, by path: what it holds. */
export async function contents(world: World): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  const all = await readdir(world.home.dir, { recursive: true, withFileTypes: true });
  for (const one of all) {
    // Whoever reads a database has these beside it for a while.
    if (/-(?:shm|wal)$/.test(one.name)) continue;
    const path = join(one.parentPath, one.name);
    found[path] = one.isFile()
      ? createHash("sha256")
          .update(await readFile(path))
          .digest("hex")
      : "folder";
  }
  return found;
}
