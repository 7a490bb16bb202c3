// Finds the archived session that a name means, as sessions of the stores are named.
import { resolve } from "node:path";
import type { Adapter } from "../../adapters/adapter.ts";
import { adapterNamed } from "../../adapters/named.ts";
import { BatonError } from "../../session/error.ts";
import { isPath } from "../locate.ts";
import type { ArchivedSession } from "./read.ts";

const SHORTEST_PREFIX = 4;
const LISTED = 10;

/**
 * Several places may have had the same session: the one that changed last is meant, of those that are `preferred` where
 * there is one, unless another is named by its path. `latest` is the newest of `preferred`, where there is one.
 */
export function archivedNamed(
  name: string,
  all: readonly ArchivedSession[],
  adapters: readonly Adapter[],
  preferred: readonly ArchivedSession[] = [],
): ArchivedSession {
  const latest = /^latest(?::(.+))?$/.exec(name);
  const candidates = latest
    ? newest([...preferred, ...all], latest[1], adapters)
    : named(name, all, adapters);
  const [first] = candidates;
  if (!first)
    throw new BatonError(
      "not_found",
      `No archived session is called "${name}".`,
      "`baton archive list` shows what is archived, `baton list` what is in the stores.",
    );
  if (candidates.every(({ id }) => id === first.id))
    return candidates.find((session) => preferred.includes(session)) ?? first;
  const listed = candidates
    .slice(0, LISTED)
    .map(({ id, agent, originalId }) => `  ${id}  ${agent}:${originalId}`);
  const more = candidates.length > LISTED ? `\n  … and ${candidates.length - LISTED} more` : "";
  throw new BatonError(
    "ambiguous",
    `"${name}" means ${candidates.length} archived sessions:\n${listed.join("\n")}${more}`,
    "Give more characters of the id, or `agent:id`.",
  );
}

function newest(
  all: readonly ArchivedSession[],
  agent: string | undefined,
  adapters: readonly Adapter[],
): ArchivedSession[] {
  const id = agent === undefined ? undefined : adapterNamed(agent, adapters).id;
  return all
    .filter((session) => session.parent === undefined && (id === undefined || session.agent === id))
    .slice(0, 1);
}

/** The newest first, as they come. */
function named(
  name: string,
  all: readonly ArchivedSession[],
  adapters: readonly Adapter[],
): ArchivedSession[] {
  const exact = all.filter(({ id, originalId, agent }) =>
    [id, originalId, `${agent}:${originalId}`].includes(name),
  );
  if (exact.length > 0) return exact;
  const colon = name.indexOf(":");
  const agent = colon > 0 && !isPath(name) ? adapterNamed(name.slice(0, colon), adapters).id : undefined;
  if (isPath(name)) return all.filter(({ path }) => path === resolve(name));
  const start = agent === undefined ? name : name.slice(colon + 1);
  if (start.length < SHORTEST_PREFIX) return [];
  return all.filter(
    (session) =>
      (agent === undefined || session.agent === agent) &&
      (session.originalId.startsWith(start) || (agent === undefined && session.id.startsWith(start))),
  );
}
