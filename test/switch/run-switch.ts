// Starts switch-child.ts, and looks at what is there afterwards.
import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { SETTLED } from "../../src/storage/conversations.ts";
import { operations } from "../../src/storage/operations.ts";
import { lineageOf } from "../../src/switch/lineage.ts";
import { conversationId } from "../../src/switch/record.ts";
import { type Switched, type SwitchOver, switchOver } from "../../src/switch/switch-over.ts";
import type { SwitchChild, SwitchOutcome } from "./switch-child.ts";
import { find, named, type There, type World } from "./world.ts";

const PROGRAM = fileURLToPath(new URL("switch-child.ts", import.meta.url));

/** Undefined when it was killed. */
export function runSwitch({ home }: World, request: SwitchChild): Promise<SwitchOutcome | undefined> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [PROGRAM, home.dir, JSON.stringify(request)], (error, stdout, stderr) => {
      if (error?.signal === "SIGKILL") resolve(undefined);
      else if (error) reject(new Error(`${error.message}\n${stderr}`));
      else resolve(JSON.parse(stdout.trim().split("\n").at(-1) ?? ""));
    });
  });
}

/** The same in this process, to its end. */
export async function switched(
  world: World,
  from: There,
  to: string,
  more: Partial<SwitchOver> = {},
): Promise<Switched & { there: There }> {
  const { ref, source } = await find(world, from);
  const agent = named(to);
  const done = await switchOver({
    ...world,
    source,
    from: ref,
    to: agent,
    adapters,
    kind: "resume",
    ...more,
  });
  return { ...done, there: { agent, id: done.originalId } };
}

export const nameOf = ({ agent, id }: There) => `${agent.id}:${id}`;

export async function idsIn({ home }: World, agent: string): Promise<string[]> {
  const refs = await Array.fromAsync(named(agent).discover(home));
  return refs.map(({ originalId }) => originalId);
}

/** Of every file below $BATON_HOME/conversations, dated ones under `backups/`. */
export function conversationsIn({ batonHome }: World): string[] {
  const folder = join(batonHome, "conversations");
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return names.filter((name) => name !== "backups" && name !== SETTLED).toSorted();
}

/** The files of a conversation say what the journal says, and nothing else is left of it. */
export async function expectInLine(world: World, from: There): Promise<void> {
  const { batonHome } = world;
  const lineage = await lineageOf(batonHome, nameOf(from));
  const id = conversationId(lineage);
  const folder = join(batonHome, "conversations");
  const newest = lineage.hops.findLast((hop) => hop.switch !== undefined);
  const own = conversationsIn(world).filter((name) => name.includes(id));
  if (!newest) return expect(own).toEqual([]);
  const current = readFileSync(join(folder, `${id}.json`));
  expect(current.equals(readFileSync(newest.conversation ?? ""))).toBe(true);
  expect(JSON.parse(readFileSync(join(folder, `${id}.meta.json`), "utf8"))).toMatchObject({
    id,
    root: lineage.root,
    current: newest.to,
    conversation: newest.conversation,
    switches: lineage.hops.flatMap((hop) => hop.switch ?? []),
  });
  const dated = lineage.hops.flatMap(({ conversation }) => (conversation ? [conversation] : []));
  expect(own).toEqual(
    [`${id}.json`, `${id}.meta.json`, ...dated.map((path) => path.slice(folder.length + 1))].toSorted(),
  );
}

export async function statesIn({ batonHome }: World): Promise<string[]> {
  const { operations: all, damaged } = await operations(batonHome);
  expect(damaged).toEqual([]);
  for (const { problems } of all) expect(problems).toEqual([]);
  return all.map(({ state }) => state);
}
