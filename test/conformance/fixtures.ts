// Every fixture of every agent as a store in a private home, the way a user would have it.
import { cpSync, existsSync, readdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Adapter, Home, SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { buildDatabases, emptyStore } from "../adapters/opencode/database.ts";

export interface Case {
  adapter: Adapter;
  fixture: string;
}

export const cases: Case[] = adapters.flatMap((adapter) => {
  const folder = folderOf(adapter);
  if (!existsSync(folder)) throw new Error(`${adapter.id} has no fixtures`);
  return readdirSync(folder).map((fixture) => ({ adapter, fixture }));
});

export async function privateHome(): Promise<Home> {
  const dir = await mkdtemp(join(tmpdir(), "baton-conformance-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return { dir, env: {}, projects: [join(dir, "project")] };
}

/** A home in which the agent was used before: one that keeps a database has made it then. */
export async function usedHome(adapter: Adapter): Promise<Home> {
  const home = await privateHome();
  if (adapter.id === "opencode") emptyStore(home.dir);
  return home;
}

/** The sessions of a fixture, subagents included, in a home of their own. */
export async function laidOut(one: Case): Promise<SessionRef[]> {
  const home = await privateHome();
  layOut(one, home);
  return Array.fromAsync(one.adapter.discover(home));
}

/** Puts a fixture into a home. */
export function layOut({ adapter, fixture }: Case, home: Home): void {
  const [store] = adapter.stores(home);
  if (!store) throw new Error(`${adapter.id} names no store`);
  const native = join(folderOf(adapter), fixture, "native");
  const root = existsSync(join(native, basename(store))) ? dirname(store) : store;
  cpSync(native, root, { recursive: true });
  buildDatabases(root);
}

function folderOf({ id }: Adapter): string {
  return join(import.meta.dirname, "..", "adapters", id, "fixtures");
}
