// Finds the one session that a name means: an id, a unique prefix, `agent:originalId`, a path, `latest`.
// An unclear name is an error that lists the candidates, never a guess.
import type { Stats } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import type { Adapter, Home, SessionRef } from "../adapters/adapter.ts";
import { adapterNamed } from "../adapters/named.ts";
import { BatonError } from "../session/error.ts";
import { type Found, findSessions, idOf } from "./scan.ts";

const SHORTEST_PREFIX = 4;
const LISTED = 10;

export async function locate(name: string, home: Home, adapters: readonly Adapter[]): Promise<Found> {
  const all = await findSessions(home, adapters);
  if (isPath(name)) {
    // A subagent's id has a slash in it.
    const named = byIdWithSlash(all, name, adapters);
    return named.length > 0 ? only(name, named) : locatePath(name, all, adapters);
  }
  const latest = /^latest(?::(.+))?$/.exec(name);
  if (latest) return newest(all, latest[1], adapters);
  const colon = name.indexOf(":");
  if (colon > 0)
    return only(name, byOriginalId(all, adapterNamed(name.slice(0, colon), adapters), name.slice(colon + 1)));
  const exact = all.filter(({ ref }) => idOf(ref) === name || ref.originalId === name);
  if (exact.length > 0) return only(name, exact);
  if (name.length < SHORTEST_PREFIX)
    throw new BatonError(
      "usage",
      `"${name}" is too short to name a session.`,
      `Give at least ${SHORTEST_PREFIX} characters of its id; \`baton list\` shows them.`,
    );
  return only(
    name,
    all.filter(({ ref }) => idOf(ref).startsWith(name) || ref.originalId.startsWith(name)),
  );
}

/** What can only be meant as a path; any other name is an id first. */
export function isPath(name: string): boolean {
  return /[\\/]|^\.|\.(?:jsonl?|db)$/.test(name);
}

function byIdWithSlash(all: readonly Found[], name: string, adapters: readonly Adapter[]): Found[] {
  const colon = name.indexOf(":");
  const adapter = adapters.find(({ id }) => id === name.slice(0, Math.max(0, colon)));
  if (adapter) return byOriginalId(all, adapter, name.slice(colon + 1));
  return all.filter(({ ref }) => ref.originalId === name);
}

function byOriginalId(all: readonly Found[], adapter: Adapter, originalId: string): Found[] {
  const own = all.filter((found) => found.adapter === adapter);
  const exact = own.filter(({ ref }) => ref.originalId === originalId);
  if (exact.length > 0 || originalId.length < SHORTEST_PREFIX) return exact;
  return own.filter(({ ref }) => ref.originalId.startsWith(originalId));
}

async function locatePath(path: string, all: readonly Found[], adapters: readonly Adapter[]): Promise<Found> {
  let file: Stats;
  try {
    file = await stat(path);
  } catch (error) {
    throw new BatonError("not_found", `There is no file ${path}.`, "Check the path.", error);
  }
  const same: Found[] = [];
  for (const found of all) if (await isSameFile(found.ref, path, file)) same.push(found);
  // A database holds many sessions; subagents are meant only where they are named.
  const main = same.filter(({ ref }) => ref.parent === undefined);
  if (same.length > 0) return only(path, main.length > 0 ? main : same);
  for (const adapter of adapters) {
    const ref = await adapter.recognise(path);
    if (ref) return { adapter, ref };
  }
  throw new BatonError(
    "not_found",
    `${path} is not a session of any agent Baton knows.`,
    `Known agents: ${adapters.map(({ label }) => label).join(", ")}. For other formats use \`baton convert --from\`.`,
  );
}

/** Also by another way, through a link. The inode spares following every path of the store. */
async function isSameFile(ref: SessionRef, path: string, { ino }: Stats): Promise<boolean> {
  if (ref.path === path) return true;
  if (ref.files[0]?.inode !== ino) return false;
  return (await realpath(ref.path)) === (await realpath(path));
}

function newest(all: readonly Found[], agent: string | undefined, adapters: readonly Adapter[]): Found {
  const adapter = agent === undefined ? undefined : adapterNamed(agent, adapters);
  const found = all.find((one) => !one.ref.parent && (adapter === undefined || one.adapter === adapter));
  if (found) return found;
  throw new BatonError(
    "not_found",
    `There is no ${adapter ? `${adapter.label} ` : ""}session yet.`,
    "Run `baton doctor` to see which stores were looked at.",
  );
}

function only(name: string, candidates: readonly Found[]): Found {
  const [first, ...others] = candidates;
  if (!first)
    throw new BatonError("not_found", `No session is called "${name}".`, "`baton list` shows what there is.");
  if (others.length === 0) return first;
  const isOneId = others.every(({ ref }) => idOf(ref) === idOf(first.ref));
  const listed = candidates
    .slice(0, LISTED)
    .map(({ ref }) => `  ${idOf(ref)}  ${isOneId ? ref.path : `${ref.agent}:${ref.originalId}`}`);
  const more = candidates.length > LISTED ? `\n  … and ${candidates.length - LISTED} more` : "";
  throw new BatonError(
    "ambiguous",
    `"${name}" means ${candidates.length} sessions:\n${listed.join("\n")}${more}`,
    isOneId
      ? "They share one id: name the file of the one you mean."
      : "Give more characters of the id, or `agent:id`.",
  );
}
