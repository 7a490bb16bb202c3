// Writes sessions into Claude Code's store: the records of the session and of its subagents, where they go, and
// the command that resumes them.
import { dirname, join } from "node:path";
import { batched, batchesOf } from "../../session/batches.ts";
import { type Loss, loss } from "../../session/losses.ts";
import type { Header, Link } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import type { Change } from "../../storage/changes.ts";
import type { Command, ResumeOptions, Target, Written, WrittenRecord } from "../adapter.ts";
import { changesOf } from "../onto.ts";
import { storeVariable } from "../store-variable.ts";
import { closing, compose } from "./compose.ts";
import { copy, isRecorded, threadInside } from "./copy.ts";
import { type Draft, newDraft } from "./draft.ts";
import { type End, endOf, type OpenCall } from "./extend.ts";
import { newThread, shortHash } from "./lines.ts";
import { resultLine } from "./model-lines.ts";
import { configDir, encodeProject, projectsDir } from "./paths.ts";

export function write(stream: Stream, target: Target): AsyncIterable<Written> {
  return batched(() => written(stream, target));
}

async function* written(stream: Stream, target: Target): AsyncGenerator<readonly Written[]> {
  const children = await Array.fromAsync(stream.children());
  const agents = children.flatMap((child) => agentOf(child, stream.header, target) ?? []);
  const calls = new Map(
    agents.flatMap(({ link, id }) => (link?.entry === undefined ? [] : [[link.entry, id]])),
  );
  const end = target.onto && (await endOf(target.onto));
  const branch = end?.branch ?? stream.header.project.git?.branch ?? "";
  const thread = newThread(target, "main", { branch });
  const draft = newDraft(thread, stream.header, calls);
  if (end) yield goOnFrom(end, draft);
  if (isRecorded(stream) && !end) yield* batchesOf(copy(stream, thread, children));
  else {
    yield* compose(stream, draft);
    yield closing(draft);
  }
  for (const agent of agents) yield* writeAgent(agent, target, draft);
}

/** What is written next extends a file that is there. */
function goOnFrom({ parent, calls, open, isClosed }: End, draft: Draft): Written[] {
  draft.thread.parent = parent;
  draft.used = calls;
  const { file } = draft.thread;
  const line: Written[] = isClosed ? [] : [{ type: "record", file, bytes: "\n", says: [] }];
  return [...line, ...open.flatMap((one) => answered(one, draft))];
}

function answered({ call, uuid }: OpenCall, draft: Draft): Written[] {
  const { id, timestamp, tool, originalTool = tool, input } = call;
  const output = "[Tool call was interrupted; no result was recorded]";
  const result = { id: `${id}-result`, timestamp, type: "tool_result", callId: id, success: false } as const;
  return [
    { type: "loss", loss: loss("call_completed", { entry: id }, originalTool) },
    resultLine({ id, name: originalTool, input, uuid }, { ...result, output }, draft),
  ];
}

interface Agent {
  stream: Stream;
  id: string;
  link: Link | undefined;
}

/** A subagent that gets a file of its own; one that stands inside the main file is copied with it. */
function agentOf(stream: Stream, parent: Header, target: Target): Agent | undefined {
  const { cli, originalId = stream.header.id } = stream.header.source;
  if (threadInside(stream) !== undefined) return undefined;
  const session = `${cli}:${originalId}`;
  const link = parent.links?.find((one) => one.type === "subagent" && one.session === session);
  const own = isRecorded(stream) ? /\/agent-([\w-]+)$/.exec(originalId)?.[1] : undefined;
  return { stream, link, id: own ?? `a${shortHash(`${target.originalId}/${session}`, 16)}` };
}

async function* writeAgent(
  { stream, id, link }: Agent,
  target: Target,
  main: Draft,
): AsyncGenerator<readonly Written[]> {
  const file = `agent-${id}.jsonl`;
  const thread = newThread(target, file, { agentId: id, branch: main.thread.branch });
  const draft = newDraft(thread, stream.header);
  yield [{ type: "loss", loss: linked(stream, id, link) }];
  yield* isRecorded(stream) ? batchesOf(copy(stream, thread)) : compose(stream, draft);
  const call = link?.entry === undefined ? undefined : (main.calls.get(link.entry) ?? link.entry);
  const meta = {
    agentType: "general-purpose",
    description: link?.label ?? stream.header.title ?? "",
    ...(call !== undefined && { toolUseId: call }),
    spawnDepth: 1,
    finished: true,
  };
  yield [{ type: "record", file: `agent-${id}.meta.json`, bytes: JSON.stringify(meta), says: [] }];
  for await (const child of stream.children()) {
    const below = agentOf(child, stream.header, target);
    if (below) yield* writeAgent(below, target, draft);
  }
}

function linked(stream: Stream, id: string, link: Link | undefined): Loss {
  const at = link?.entry === undefined ? {} : { entry: link.entry };
  return loss("subagent_linked", at, `${stream.header.title ?? "a subagent"} as agent-${id}`);
}

export function pathOf(target: Target, file = "main"): string {
  if (target.onto && file === "main") return target.onto.ref.path;
  const folder = target.onto
    ? dirname(target.onto.ref.path)
    : join(projectsDir(target.home), encodeProject(target.cwd));
  if (file === "main") return join(folder, `${target.originalId}.jsonl`);
  return join(folder, target.originalId, "subagents", file);
}

export function plan(records: AsyncIterable<WrittenRecord>, target: Target): AsyncIterable<Change> {
  return changesOf(records, target, pathOf);
}

export function resumeCommand(
  originalId: string,
  header: Pick<Header, "project">,
  options: ResumeOptions,
): Command {
  const model = options.model === undefined ? [] : ["--model", options.model];
  const env = storeVariable("CLAUDE_CONFIG_DIR", configDir(options.home));
  return { argv: ["claude", "--resume", originalId, ...model], cwd: header.project.path, env };
}
