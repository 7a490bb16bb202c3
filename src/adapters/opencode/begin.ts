// How every written session begins: what the writer keeps in mind, and the columns that say where it belongs.
import { relative } from "node:path";
import type { Stream } from "../../session/source.ts";
import type { Target } from "../adapter.ts";
import type { Writing } from "./compose.ts";
import { callIds, newClock } from "./ids.ts";
import { modelFor, type Project } from "./store.ts";

export function newWriting(stream: Stream, target: Target, file: string, project: Project): Writing {
  return {
    target,
    session: target.originalId,
    file,
    clock: newClock(target.now),
    callId: callIds(() => false),
    prompt: undefined,
    model: modelFor(target, stream.header.model),
    header: stream.header,
    worktree: project.worktree,
    subagents: new Map(),
  };
}

export function placeColumns(target: Target, project: Project) {
  const path = relative(project.worktree, target.cwd).replaceAll("\\", "/");
  return { project_id: project.id, directory: target.cwd, path };
}

/** A name for people, which the CLI makes of two words. */
export function slugOf(id: string): string {
  return `carried-${id.slice(-6).toLowerCase()}`;
}

export function projectLine({ id, worktree }: Project, { now }: Target): string {
  const time = now.getTime();
  const row = { id, worktree, time_created: time, time_updated: time, sandboxes: "[]" };
  return JSON.stringify({ table: "project", row, ensure: true });
}
