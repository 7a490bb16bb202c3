// Finds and opens what a real CLI wrote, with the agent's own adapter.
import type { Adapter, Home, SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Source } from "../../src/session/source.ts";

export function adapterOf(id: string): Adapter {
  const adapter = adapters.find((one) => one.id === id);
  if (!adapter) throw new Error(`there is no adapter for ${id}`);
  return adapter;
}

/** Nothing of the environment of whoever runs the tests. */
export const homeAt = (dir: string): Home => ({ dir, env: {} });

export async function findSession(adapter: Adapter, dir: string, originalId: string): Promise<SessionRef> {
  const found: string[] = [];
  for await (const ref of adapter.discover(homeAt(dir))) {
    if (ref.originalId === originalId) return ref;
    found.push(ref.originalId);
  }
  throw new Error(`${adapter.id} finds no session ${originalId}, only ${found.join(", ")}`);
}

export async function openFrom(adapter: Adapter, dir: string, originalId: string): Promise<Source> {
  return adapter.open(await findSession(adapter, dir, originalId));
}
