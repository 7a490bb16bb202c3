// Writes a session for Gemini CLI: its own records where they are there and say the same, a new log otherwise, with
// a log of its own for each subagent.
import { batched, batchesOf } from "../../session/batches.ts";
import { loss } from "../../session/losses.ts";
import type { Header } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import type { Target, Written } from "../adapter.ts";
import { headerLosses } from "../header-losses.ts";
import type { Json } from "../json.ts";
import { compose, line } from "./compose.ts";
import { copied } from "./copy.ts";
import { extension } from "./extend.ts";
import { derivedId } from "./ids.ts";
import { hashOf } from "./paths.ts";
import { agentFile, folderOf } from "./plan.ts";

export function write(stream: Stream, target: Target): AsyncIterable<Written> {
  return batched(() => written(stream, target));
}

async function* written(stream: Stream, target: Target): AsyncGenerator<readonly Written[]> {
  if (target.onto) {
    yield* extension(stream, target, target.onto);
    return;
  }
  if (stream.header.source.cli === "gemini" && stream.records) {
    const own = await copied(stream, target);
    if (own) {
      yield* batchesOf(own);
      yield* copyAgents(stream, target);
      return;
    }
    yield [{ type: "loss", loss: loss("records_dropped", {}, "the session was written anew") }];
  }
  yield* composed(stream, target);
}

async function* composed(stream: Stream, target: Target): AsyncGenerator<readonly Written[]> {
  yield [
    ...headerLosses(stream, "gemini", nextModel(target)),
    line("main", metadataOf(stream.header, target)),
  ];
  const agents = new Map<string, string>();
  yield* writeAgents(stream, target, target.originalId, agents);
  yield* compose(stream, target, { id: target.originalId, file: "main", agents });
}

/** Subagents come first, because the log that called them names them. Those of subagents lie beside them. */
async function* writeAgents(
  stream: Stream,
  target: Target,
  caller: string,
  agents: Map<string, string>,
): AsyncGenerator<readonly Written[]> {
  let number = 0;
  for await (const child of stream.children()) {
    const name = nameOf(child.header);
    const link = stream.header.links?.find(({ type, session }) => type === "subagent" && session === name);
    const id = derivedId(caller, `agent ${number++} ${name}`);
    if (link?.entry !== undefined) agents.set(link.entry, id);
    const file = agentFile(id);
    yield [
      { type: "loss", loss: loss("subagent_linked", { entry: link?.entry }, `${name} → ${id}`) },
      line(file, { ...metadataOf(child.header, agentTarget(target, id)), ...agentFacts(target) }),
    ];
    const below = new Map<string, string>();
    yield* writeAgents(child, target, id, below);
    yield* compose(child, target, { id, file, agents: below });
  }
}

/** Subagents of its own session keep their ids, by which the calls name them. */
async function* copyAgents(stream: Stream, target: Target): AsyncGenerator<readonly Written[]> {
  for await (const child of stream.children()) {
    const { cli, originalId = "" } = child.header.source;
    const isOwn = cli === "gemini" && child.records !== undefined && /^\w[\w.-]*$/.test(originalId);
    const same = isOwn ? await copied(child, agentTarget(target, originalId)) : undefined;
    if (!same) {
      const detail = `${nameOf(child.header)}: its records are not at hand`;
      yield [{ type: "loss", loss: loss("subagent_dropped", {}, detail) }];
      continue;
    }
    const file = agentFile(originalId);
    for await (const batch of batchesOf(same))
      yield batch.map((piece) => (piece.type === "record" ? { ...piece, file } : piece));
  }
}

/** The title that was asked for is the session's, not its subagents'. */
function agentTarget({ title: _, ...target }: Target, originalId: string): Target {
  return { ...target, originalId };
}

const agentFacts = ({ cwd }: Target): Json => ({ kind: "subagent", directories: [cwd] });

function nameOf(header: Header): string {
  return `${header.source.cli}:${header.source.originalId ?? header.id}`;
}

/** `lastUpdated` is now: the CLI deletes sessions that look old. */
function metadataOf(header: Header, target: Target): Json {
  const now = target.now.toISOString();
  const title = target.title ?? header.title;
  return {
    sessionId: target.originalId,
    projectHash: hashOf(folderOf(target.cwd)),
    startTime: now,
    lastUpdated: now,
    kind: "main",
    ...(target.parent && agentFacts(target)),
    // In the store the folder that the file lies in says it.
    ...(target.documents !== undefined && header.project.path !== "" && { directories: [target.cwd] }),
    ...(title !== undefined && { summary: title }),
    continuedFrom: nameOf(header),
  };
}

function nextModel({ model, configuration }: Target): string {
  return model ?? configuration.model ?? "Gemini CLI's own default";
}
