// The session in OpenCode's dialect: lines of rows. Its own sessions are copied row by row (copy.ts), those of
// others are composed; a session that is gone on with gets new messages and nothing else.
import { BatonError } from "../../session/error.ts";
import { loss } from "../../session/losses.ts";
import type { Stream } from "../../session/source.ts";
import { rowLine } from "../../storage/rows.ts";
import type { Target, Written } from "../adapter.ts";
import { headerLosses } from "../header-losses.ts";
import { tally } from "../tally.ts";
import { newWriting, placeColumns, projectLine, slugOf } from "./begin.ts";
import { grouped, type Writing, writeGroup } from "./compose.ts";
import { copySession } from "./copy.ts";
import { callIds, newClock, newSessionId } from "./ids.ts";
import { endingOf, modelFor, type Project, projectOf } from "./store.ts";
import { OLDER } from "./tree.ts";

export async function* write(stream: Stream, target: Target): AsyncGenerator<Written> {
  const counted = tally();
  for await (const written of everything(stream, target)) {
    if (written.type === "record") yield written;
    else {
      const found = counted.add(written.loss);
      if (found) yield { type: "loss", loss: found };
    }
  }
  yield* counted.finish();
}

async function* everything(stream: Stream, target: Target): AsyncGenerator<Written> {
  if (target.onto) yield* extension(stream, target);
  else if (await isCopied(stream)) yield* copySession(stream, target, "main");
  else {
    // The Go version had ids that the CLI of today refuses.
    const originalId = target.originalId.startsWith("ses") ? target.originalId : newSessionId();
    yield* wholeLosses(stream, target);
    yield* composed(stream, { ...target, originalId }, "main");
  }
}

function* wholeLosses(stream: Stream, target: Target): Generator<Written> {
  yield* headerLosses(stream, "opencode", modelFor(target, stream.header.model).modelID);
  if (stream.records && stream.header.source.cli === "opencode")
    yield { type: "loss", loss: loss("records_dropped", {}, "the session was written anew") };
}

/** Whether its rows are of today's tables: the Go version's have no place there, and the oldest tree's say too little. */
async function isCopied({ header, records }: Stream): Promise<boolean> {
  if (header.source.cli !== "opencode") return false;
  for await (const { raw } of records?.() ?? [])
    return /^\s*\{"table":"(?:session|message|project)"/.test(raw) && !raw.includes(OLDER_MARK);
  return false;
}

const OLDER_MARK = `"row":{"layout":"${OLDER}"`;

async function* extension(stream: Stream, target: Target): AsyncGenerator<Written> {
  const ending = endingOf(target.onto!);
  if (ending.time >= target.now.getTime()) throw fromTheFuture(target.originalId, ending.time);
  yield* wholeLosses(stream, target);
  for await (const child of stream.children())
    yield { type: "loss", loss: loss("subagent_dropped", {}, child.header.title ?? child.header.id) };
  const set = { time_updated: Math.max(target.now.getTime(), ending.updated) };
  const line = {
    table: "session",
    row: { id: target.originalId },
    set,
    was: { time_updated: ending.updated },
  };
  yield { type: "record", file: "main", bytes: `${JSON.stringify(line)}\n`, says: [] };
  // Messages of one time are in the order of their ids, which begin anew here.
  const clock = newClock(target.now, ending.time + 1);
  const writing = {
    ...newWriting(stream, target, "main", projectOf(target)),
    clock,
    callId: callIds(ending.hasCall),
    prompt: ending.prompt,
  };
  yield* writeEntries(writing, stream);
}

async function* writeEntries(writing: Writing, stream: Stream): AsyncGenerator<Written> {
  let hasUsage = false;
  for await (const group of grouped(stream.entries())) {
    hasUsage ||= group.entries.some(({ usage }) => usage !== undefined);
    yield* writeGroup(writing, group);
  }
  if (hasUsage)
    yield { type: "loss", loss: loss("usage_dropped", {}, "the CLI would take them for its own") };
}

/** New messages would have to come from the future as well, and would hide the next prompt. */
function fromTheFuture(id: string, time: number): BatonError {
  return new BatonError(
    "refused",
    `The last message of session ${id} is of ${new Date(time).toISOString()}, which is yet to come.`,
    "Check the clock of this machine, or use `baton resume` to go on in a new session.",
  );
}

async function* composed(stream: Stream, target: Target, file: string): AsyncGenerator<Written> {
  const project = projectOf(target);
  const { subagents, ids } = spawned(stream);
  const writing = { ...newWriting(stream, target, file, project), subagents };
  yield* sessionRecords(stream, target, file, project);
  yield* writeEntries(writing, stream);
  for await (const child of stream.children()) yield* subagent(child, target, ids);
}

/** Which session each subagent becomes, and which call it hangs on. */
function spawned(stream: Stream): { subagents: Map<string, string>; ids: Map<string, string> } {
  const ids = new Map<string, string>();
  const subagents = new Map<string, string>();
  for (const { type, session, entry } of stream.header.links ?? []) {
    if (type !== "subagent") continue;
    const id = ids.get(session) ?? newSessionId();
    ids.set(session, id);
    if (entry !== undefined) subagents.set(entry, id);
  }
  return { subagents, ids };
}

async function* subagent(
  child: Stream,
  target: Target,
  ids: ReadonlyMap<string, string>,
): AsyncGenerator<Written> {
  const { cli, originalId = child.header.id } = child.header.source;
  const id = ids.get(`${cli}:${originalId}`) ?? newSessionId();
  const parent = { originalId: target.originalId };
  const title = child.header.title === undefined ? {} : { title: child.header.title };
  yield* composed(child, { ...target, ...title, originalId: id, parent }, id);
  yield { type: "loss", loss: loss("subagent_linked", {}, "a session of its own below this one") };
}

/** The row of the session, and that of its project where there is none. */
function* sessionRecords(stream: Stream, target: Target, file: string, project: Project): Generator<Written> {
  const says: [] = [];
  if (!project.known) yield { type: "record", file, bytes: `${projectLine(project, target)}\n`, says };
  const clock = newClock(target.now);
  const row = {
    id: target.originalId,
    ...placeColumns(target, project),
    parent_id: target.parent?.originalId ?? null,
    slug: slugOf(target.originalId),
    title: target.title ?? stream.header.title ?? "Untitled",
    version: target.version,
    time_created: clock.at(stream.header.metadata.created),
    time_updated: target.now.getTime(),
  };
  yield { type: "record", file, bytes: `${rowLine("session", row)}\n`, says };
}
