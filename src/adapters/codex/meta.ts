// The session_meta line: who, where, when, and which other threads this one comes from.
import { loss } from "../../session/losses.ts";
import type { Link } from "../../session/session.ts";
import type { Folded, HeaderPatch } from "../../session/source.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { isObject, type JsonObject, objects, word } from "./native.ts";
import type { CodexState } from "./state.ts";

/** A fork's file, or the files it builds on, also hold the session_meta of other threads. */
export function metaFolded(state: CodexState, record: NativeRecord, meta: JsonObject, out: Folded[]): void {
  const id = word(meta.id);
  if (id !== undefined && id !== state.id) {
    noteOther(state, record, id, out);
    return;
  }
  const cwd = word(meta.cwd);
  if (cwd !== undefined) state.placed = true;
  // A reverted thread has a session_meta in each of its files.
  if (state.own) return;
  state.own = true;
  out.push({ type: "header", patch: patchOf(meta, cwd) });
  for (const link of linksOf(meta)) {
    state.others.push(link.session);
    out.push({ type: "header", patch: { link } });
  }
}

/** Before the thread's own line stand the files it builds on; after it, only a thread it comes from may. */
function noteOther(state: CodexState, record: NativeRecord, id: string, out: Folded[]): void {
  const session = `codex:${id}`.slice(0, 100);
  const isStranger = state.own && !state.others.includes(session);
  if (state.others.length < MOST_OTHERS) state.others.push(session);
  if (state.own && state.newestTurn === undefined) state.root = id.slice(0, 200);
  if (!isStranger) return;
  const at = { record: record.index, line: record.line };
  out.push({ type: "loss", loss: loss("session_mixed", at, `the session_meta of ${session}`) });
}

const MOST_OTHERS = 50;

function patchOf(meta: JsonObject, cwd: string | undefined): HeaderPatch {
  const timestamp = word(meta.timestamp);
  const cliVersion = word(meta.cli_version) ?? word(meta.version);
  const provider = word(meta.model_provider);
  const model = word(meta.model);
  const git = gitOf(meta.git);
  return {
    ...(cwd !== undefined && { cwd }),
    ...(timestamp !== undefined && { timestamp }),
    ...(cliVersion !== undefined && { cliVersion }),
    ...(provider !== undefined && { provider }),
    ...(model !== undefined && { model }),
    ...(git && { git }),
  };
}

function gitOf(git: unknown): HeaderPatch["git"] {
  if (!isObject(git)) return undefined;
  const commit = word(git.commit_hash);
  const branch = word(git.branch);
  const remote = word(git.repository_url);
  if (commit === undefined && branch === undefined && remote === undefined) return undefined;
  return {
    ...(branch !== undefined && { branch }),
    ...(commit !== undefined && { commit }),
    ...(remote !== undefined && { remote }),
  };
}

function linksOf(meta: JsonObject): Link[] {
  const links: Link[] = [];
  const parent = parentOf(meta);
  if (parent !== undefined) links.push({ type: "parent", session: `codex:${parent}` });
  const source = word(meta.forked_from_id);
  // A subagent may start from a copy of its parent's context; that makes it a child, not a fork.
  if (source !== undefined && parent === undefined)
    links.push({ type: "fork_of", session: `codex:${source}` });
  const from = word(meta.continued_from);
  if (from !== undefined) links.push({ type: "continued_from", session: from });
  return links;
}

/** The thread that spawned this one. */
function parentOf(meta: JsonObject): string | undefined {
  const named = word(meta.parent_thread_id);
  if (named !== undefined || !isObject(meta.source) || !isObject(meta.source.subagent)) return named;
  return objects(Object.values(meta.source.subagent)).flatMap(
    (spawn) => word(spawn.parent_thread_id) ?? [],
  )[0];
}
