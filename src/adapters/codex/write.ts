// Writes a session for Codex: its own records where they are there and say the same, a new rollout otherwise,
// with a rollout of its own for each subagent.
import { batched, batchesOf } from "../../session/batches.ts";
import { loss } from "../../session/losses.ts";
import type { Header } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import type { Target, Written } from "../adapter.ts";
import { headerLosses } from "../header-losses.ts";
import { agentTarget, inItsFile, ownId } from "./agents.ts";
import { isInStore } from "./bases.ts";
import { compose } from "./compose.ts";
import { copied } from "./copy.ts";
import { extended } from "./extend.ts";
import { derivedId } from "./ids.ts";
import type { JsonObject } from "./native.ts";
import { threadFile } from "./plan.ts";
import { type Survey, surveyOf } from "./survey.ts";

export function write(stream: Stream, target: Target): AsyncIterable<Written> {
  return batched(() => written(stream, target));
}

async function* written(stream: Stream, target: Target): AsyncGenerator<readonly Written[]> {
  const { source } = stream.header;
  if (target.onto) {
    yield* composed(stream, target);
    return;
  }
  if (source.cli === "codex" && stream.records) {
    const isSame = source.originalId === target.originalId;
    const survey = await surveyOf(stream, isSame);
    const isEdited = survey.touched.size > 0 || survey.added.size > 0 || survey.project !== undefined;
    if (survey.isEnveloped ? survey.kept > 0 || isSame : isSame && !isEdited) {
      yield* writeAgents(stream, target, new Map());
      yield* batchesOf(copied(stream, target, survey));
      return;
    }
    yield rewrittenLosses(survey);
    yield* composed(withoutRewound(stream, survey), target);
    return;
  }
  yield* composed(stream, target);
}

/** Codex itself no longer reads the oldest rollouts, and a session with nothing of its own is none of its own. */
function rewrittenLosses({ total }: Survey): Written[] {
  const detail = `${total} records of Codex's own, for which the session was written anew`;
  return [{ type: "loss", loss: loss("records_dropped", {}, detail) }];
}

/** A rollout has one thread; what was taken back does not come back. */
function withoutRewound(stream: Stream, { rewound }: Survey): Stream {
  return {
    ...stream,
    async *entries() {
      let at = 0;
      for await (const entry of stream.entries()) if (!rewound.has(at++)) yield entry;
    },
  };
}

async function* composed(stream: Stream, target: Target): AsyncGenerator<readonly Written[]> {
  yield [...headerLosses(stream, "codex", nextModel(target))];
  const agents = new Map<string, string>();
  yield* writeAgents(stream, target, agents);
  const meta = { ...ownMeta(stream.header, target), ...lineage(stream.header) };
  const thread = { id: target.originalId, file: "main", meta, agents };
  yield* target.onto ? extended(stream, target, thread, target.onto) : compose(stream, target, thread);
}

/** Subagents come first, because the main thread names them. Those that the store has stay what they are. */
async function* writeAgents(
  stream: Stream,
  target: Target,
  agents: Map<string, string>,
): AsyncGenerator<readonly Written[]> {
  let number = 0;
  for await (const child of stream.children()) {
    const name = nameOf(child.header);
    const link = stream.header.links?.find(({ type, session }) => type === "subagent" && session === name);
    const own = ownId(child.header);
    const id = own ?? derivedId(target.originalId, `agent ${number++} ${name}`);
    agents.set(link?.entry ?? name, id);
    if (own !== undefined && (await isInStore(target, own))) continue;
    yield [{ type: "loss", loss: loss("subagent_linked", { entry: link?.entry }, `${name} → ${id}`) }];
    const below = agentTarget(target, id);
    if (own === undefined) yield* foreignAgent(child, target, below, link?.label);
    else yield* inItsFile(written(child, below), below);
  }
}

async function* foreignAgent(
  child: Stream,
  target: Target,
  below: Target,
  role: string | undefined,
): AsyncGenerator<readonly Written[]> {
  const id = below.originalId;
  const agents = new Map<string, string>();
  yield* writeAgents(child, below, agents);
  const spawn = spawned(target, role);
  const meta = { ...ownMeta(child.header, target), id, ...spawn, ...lineage(child.header) };
  yield* compose(child, target, { id, file: threadFile(id), meta, agents });
}

function nameOf(header: Header): string {
  return `${header.source.cli}:${header.source.originalId ?? header.id}`;
}

/** The session_meta of a session written now. Codex refuses a thread of another provider, so none is named. */
function ownMeta(header: Header, target: Target): JsonObject {
  const { git } = header.project;
  const created = Date.parse(header.metadata.created);
  const time = Number.isFinite(created) ? Math.min(created, target.now.getTime()) : target.now.getTime();
  return {
    session_id: target.originalId,
    id: target.originalId,
    timestamp: new Date(time).toISOString(),
    cwd: target.cwd,
    originator: "baton",
    cli_version: target.version,
    source: "cli",
    ...(target.parent && spawned({ ...target, originalId: target.parent.originalId }, undefined)),
    history_mode: "paginated",
    ...(git && { git: { commit_hash: git.commit, branch: git.branch, repository_url: git.remote } }),
  };
}

function spawned(parent: Target, role: string | undefined): JsonObject {
  const parent_thread_id = parent.originalId;
  const spawn = {
    parent_thread_id,
    depth: 1,
    agent_path: null,
    agent_nickname: null,
    agent_role: role ?? null,
  };
  return { parent_thread_id, source: { subagent: { thread_spawn: spawn } }, thread_source: "subagent" };
}

/** Where the session came from, in a field that Codex leaves alone. */
function lineage(header: Header): JsonObject {
  return { continued_from: nameOf(header) };
}

function nextModel({ model, configuration }: Target): string {
  return model ?? configuration.model ?? "Codex's own default";
}
