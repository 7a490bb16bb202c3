// A home with the stores of all agents, and sessions in them, for tests that move sessions about.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Adapter, Home, SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry } from "../../src/session/session.ts";
import { type Source, sourceOf } from "../../src/session/source.ts";
import { entryText } from "../../src/session/text.ts";
import { carry } from "../../src/switch/carry.ts";
import { perform } from "../../src/switch/perform.ts";
import { bringBack, type Returned, type ReturnRequest } from "../../src/switch/return.ts";
import { visible } from "../../src/transform/visible.ts";
import { emptyStore } from "../adapters/opencode/database.ts";
import { session } from "../session/build.ts";

export const named = (id: string): Adapter => {
  const found = adapters.find((one) => one.id === id);
  if (!found) throw new Error(`there is no adapter ${id}`);
  return found;
};

export interface World {
  home: Home;
  batonHome: string;
}

export async function newWorld(): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), "baton-return-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  // An agent that keeps a database has made it when it was first used.
  emptyStore(dir);
  return { home: { dir, env: {} }, batonHome: join(dir, ".baton") };
}

export interface There {
  agent: Adapter;
  id: string;
}

export async function find(
  { home }: World,
  { agent, id }: There,
): Promise<{ ref: SessionRef; source: Source }> {
  for await (const ref of agent.discover(home))
    if (ref.originalId === id) return { ref, source: await agent.open(ref) };
  throw new Error(`${agent.id} has no session ${id}`);
}

/** A session of the agent's own, from nowhere. */
export async function begun(world: World, agent: Adapter, timeline: readonly Entry[]): Promise<There> {
  const source = sourceOf(session([...timeline], { title: "How it began" }));
  const batonHome = join(world.home.dir, "elsewhere");
  const { originalId } = await carry({ ...world, batonHome, source, to: agent, kind: "resume" });
  return { agent, id: originalId };
}

export async function carried(world: World, from: There, agent: Adapter): Promise<There> {
  const { ref, source } = await find(world, from);
  const { originalId } = await carry({ ...world, source, from: ref, to: agent, kind: "resume" });
  return { agent, id: originalId };
}

/** What the model would see. */
export async function seen(world: World, there: There): Promise<string[]> {
  const { source } = await find(world, there);
  const texts: string[] = [];
  for await (const entry of visible(source).entries())
    if (entry.type !== "tool_call" && entry.type !== "system" && entry.type !== "switch")
      texts.push(entryText(entry));
  return texts;
}

/** The agent itself goes on, from its newest entry or another one. */
export async function goesOn(
  world: World,
  there: There,
  timeline: readonly Entry[],
  after?: string,
): Promise<void> {
  const { ref, source } = await find(world, there);
  await perform({
    stream: sourceOf(session([...timeline])),
    to: there.agent,
    target: {
      home: world.home,
      originalId: there.id,
      cwd: source.header.project.path,
      version: there.agent.proven.at(-1) ?? "1.0.0",
      now: new Date(),
      configuration: await there.agent.configuration(world.home),
      onto: { ref, ...(after !== undefined && { after }) },
    },
    // Not ours to know.
    batonHome: join(world.home.dir, "elsewhere"),
    facts: { kind: "resume", source: "nowhere:1" },
  });
}

export async function returned(
  world: World,
  there: There,
  more: Partial<ReturnRequest> = {},
): Promise<Returned & { there: There }> {
  const { ref, source } = await find(world, there);
  const back = await bringBack({ ...world, source, ref, adapters, ...more });
  return { ...back, there: { agent: named(back.agent), id: back.originalId } };
}
