// Writes a session as a trajectory of the Agent Trajectory Interchange Format (ATIF) 1.7. Its validators allow no
// field that the format does not name, so what has no place goes into the `extra` that it has at every level.
import { sessionId } from "../session/id.ts";
import type { Entry, Header, Part, ToolResult, Usage } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { batches } from "./batches.ts";
import type { Json } from "./check.ts";
import type { WriteOptions } from "./format.ts";
import { argumentObject, newOutgoing, type Outgoing, reportHeader } from "./outgoing.ts";
import { linkOf, type Media, mention, partsOf, textOf } from "./parts.ts";
import { type Left, leftBy, outputOf, type Pair, type Turn, turnsOf, unfolded } from "./turns.ts";

export function writeAtif(stream: Stream, options: WriteOptions = {}): AsyncIterable<string> {
  return batches(document(stream, options));
}

async function* document(stream: Stream, options: WriteOptions): AsyncGenerator<string> {
  yield* trajectory(stream, options, "");
  yield "\n";
}

/** Ids are only told apart within a step, and any text is one. */
const ACCEPTS = { id: /(?!)/g, name: /(?!)/g, longestId: 1000, longestName: 1000 };
const KEPT = [
  "title",
  "summary",
  "project",
  "git",
  "config",
  "tokens",
  "cost",
  "source",
  "children",
] as const;

const EMPTY = { source: "system", message: "", extra: { kind: "empty" } };

async function* trajectory(stream: Stream, options: WriteOptions, indent: string): AsyncGenerator<string> {
  const { header } = stream;
  await reportHeader(stream, KEPT, options);
  const out = newOutgoing(ACCEPTS, options);
  const totals: Totals = { steps: 0, prompt: 0, completion: 0, cached: 0, cost: 0 };
  const inner = `${indent}  `;
  yield `{\n${inner}"schema_version": "ATIF-v1.7",\n`;
  yield `${inner}"session_id": ${JSON.stringify(header.source.originalId ?? header.id)},\n`;
  yield `${inner}"trajectory_id": ${JSON.stringify(header.id)},\n`;
  yield `${inner}"agent": ${JSON.stringify(agentOf(header))},\n${inner}"steps": [`;
  const left: Left = new WeakMap();
  const subagents = await subagentsOf(stream);
  for await (const turn of turnsOf(unfolded(stream.entries(), left))) {
    const step = stepOf(turn, header, out, subagents);
    if (!step) continue;
    const whole = copied(step, leftBy(turn, left));
    yield `${totals.steps === 0 ? "" : ","}\n${inner}  ${JSON.stringify(numbered(whole, totals))}`;
  }
  // The format wants a step at least.
  if (totals.steps === 0) {
    out.lost("message_added", undefined, "an empty trajectory is not allowed");
    yield `\n${inner}  ${JSON.stringify(numbered(EMPTY, totals))}`;
  }
  yield `\n${inner}],\n${inner}"final_metrics": ${JSON.stringify(finalMetrics(header, totals))},\n`;
  yield* children(stream, options, inner);
  yield `${inner}"extra": ${JSON.stringify(extraOf(header))}\n${indent}}`;
}

async function* children(stream: Stream, options: WriteOptions, indent: string): AsyncGenerator<string> {
  let count = 0;
  for await (const child of stream.children()) {
    yield count++ === 0 ? `${indent}"subagent_trajectories": [\n${indent}  ` : `,\n${indent}  `;
    yield* trajectory(child, options, `${indent}  `);
  }
  if (count > 0) yield `\n${indent}],\n`;
}

/** By call: the trajectories of the subagents that it started. */
type Subagents = ReadonlyMap<string, string[]>;

async function subagentsOf(stream: Stream): Promise<Subagents> {
  const found = new Map<string, string[]>();
  const links = (stream.header.links ?? []).filter(({ type, entry }) => type === "subagent" && entry);
  if (links.length === 0) return found;
  // Only a trajectory that is in the file may be named.
  const there = new Set<string>();
  for await (const { header } of stream.children()) there.add(header.id);
  for (const { session, entry = "" } of links) {
    const colon = session.indexOf(":");
    const id = sessionId(session.slice(0, colon), session.slice(colon + 1));
    if (there.has(id)) found.set(entry, [...(found.get(entry) ?? []), id]);
  }
  return found;
}

interface Totals {
  steps: number;
  prompt: number;
  completion: number;
  cached: number;
  cost: number;
}

/** The step with its number first, added to the totals. */
function numbered(step: Step, totals: Totals): Json {
  totals.steps++;
  // What a compaction left was paid for where it was said first.
  if (step.is_copied_context) return { step_id: totals.steps, ...step };
  totals.prompt += step.metrics?.prompt_tokens ?? 0;
  totals.completion += step.metrics?.completion_tokens ?? 0;
  totals.cached += step.metrics?.cached_tokens ?? 0;
  totals.cost += step.metrics?.cost_usd ?? 0;
  return { step_id: totals.steps, ...step };
}

function agentOf({ source, model }: Header): Json {
  return {
    name: source.cli,
    version: source.version ?? "unknown",
    ...(model.model !== "unknown" && { model_name: model.model }),
    ...(model.config && { extra: { config: model.config } }),
  };
}

function extraOf({ title, summary, project, metadata, model }: Header): Json {
  return {
    cwd: project.path,
    ...(project.git && { git: project.git }),
    ...(title !== undefined && { title }),
    ...(summary !== undefined && { summary }),
    created: metadata.created,
    updated: metadata.lastModified,
    provider: model.provider,
  };
}

function finalMetrics({ metadata }: Header, totals: Totals): Json {
  const { tokens, cost } = metadata;
  return {
    total_prompt_tokens: tokens ? promptTokens(tokens) : totals.prompt,
    total_completion_tokens: tokens?.output ?? totals.completion,
    total_cached_tokens: tokens?.cacheRead ?? totals.cached,
    total_cost_usd: cost ?? totals.cost,
    total_steps: totals.steps,
  };
}

/** Here the tokens of the prompt include those from the cache. */
function promptTokens({ input, cacheRead = 0, cacheWrite = 0 }: Omit<Usage, "output">): number {
  return input + cacheRead + cacheWrite;
}

type Step = Json & { metrics?: Metrics; extra?: Json };

/** What a compaction left in place of the history says so. */
function copied(step: Step, compaction: string | undefined): Step {
  if (compaction === undefined) return step;
  return { ...step, is_copied_context: true, extra: { ...step.extra, compaction } };
}

function stepOf(turn: Turn, header: Header, out: Outgoing, subagents: Subagents): Step | undefined {
  if (turn.type === "reply") return replyStep(turn, header, out, subagents);
  const { entry } = turn;
  switch (entry.type) {
    case "user":
      return plainStep("user", entry, messageOf(partsOf(entry), entry.id, out), flags(entry));
    case "system":
      return plainStep("system", entry, entry.content, { ...flags(entry), subtype: entry.subtype });
    case "compaction":
      return plainStep("system", entry, entry.summary ?? "", {
        kind: "compaction",
        keeps: entry.keeps,
        replaced: entry.replacement && true,
      });
    case "tool_result":
      out.lost("result_dropped", entry.id, `its call ${entry.callId} is not there`);
      return undefined;
    case "switch":
      return plainStep("system", entry, "", { kind: "switch", switch: entry.switch });
  }
}

function flags({ injected, note }: Entry): Json {
  return { injected, note };
}

function plainStep(source: "user" | "system", entry: Entry, message: unknown, extra: Json): Step {
  return { ...timed(entry), source, message, extra: { id: entry.id, ...defined(extra) } };
}

/** The format takes no time that is not ISO 8601. */
function timed({ timestamp }: Entry): Json {
  const isTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/.test(timestamp);
  return isTime ? { timestamp } : {};
}

function defined(fields: Json): Json {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

type Reply = Extract<Turn, { type: "reply" }>;

function replyStep({ said, pairs }: Reply, header: Header, out: Outgoing, subagents: Subagents): Step {
  const entries = [...said, ...pairs.map(({ call }) => call)];
  const first = entries[0] as Entry;
  const parts = said.flatMap((entry) => partsOf(entry));
  const thoughts = parts.flatMap((part) => (part.type === "thinking" && part.text !== "" ? [part.text] : []));
  const sealed = parts.filter((part) => part.type === "thinking" && part.signature !== undefined).length;
  if (sealed > 0) out.lost("thinking_converted", first.id, "its signature is left out");
  const spoken = parts.filter(({ type }) => type !== "thinking");
  const usage = entries.findLast((entry) => entry.usage)?.usage;
  const results = pairs.flatMap((pair) => (pair.result ? [resultOf(pair.result, out, subagents)] : []));
  return {
    ...timed(first),
    source: "agent",
    model_name: first.model ?? header.model.model,
    message: messageOf(spoken, first.id, out),
    ...(thoughts.length > 0 && { reasoning_content: thoughts.join("\n\n") }),
    ...(pairs.length > 0 && { tool_calls: pairs.map((pair) => callOf(pair, out)) }),
    ...(results.length > 0 && { observation: { results } }),
    ...(usage && { metrics: metricsOf(usage) }),
    extra: { id: first.id, ...defined(flags(first)) },
  };
}

function callOf({ call }: Pair, out: Outgoing): Json {
  const name = call.originalTool ?? call.tool;
  // What it means in universal terms and its very text, for whoever carries it on.
  const extra = defined({
    ...(call.originalTool !== undefined && { tool: call.tool, input: call.input }),
    text: typeof call.originalInput === "string" ? call.originalInput : undefined,
    hosted: call.hosted,
  });
  return {
    tool_call_id: call.id,
    function_name: name,
    arguments: argumentObject(call, out),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}

function resultOf(result: ToolResult, out: Outgoing, subagents: Subagents): Json {
  const started = subagents.get(result.callId);
  const content = result.parts ? messageOf(partsOf(result), result.id, out) : outputOf(result);
  return {
    source_call_id: result.callId,
    content,
    ...(started && { subagent_trajectory_ref: started.map((id) => ({ trajectory_id: id })) }),
    ...(!result.success && { extra: { is_error: true } }),
  };
}

/** Text, or parts where there is a picture that the format can point to. */
function messageOf(parts: readonly Part[], entry: string, out: Outgoing): string | Json[] {
  const made = parts.map((part): Json => {
    if (part.type === "image" || part.type === "document") return picture(part, entry, out);
    if (part.type !== "text") out.lost("part_converted", entry, `${part.type} became text`);
    return { type: "text", text: textOf(part) ?? "" };
  });
  if (made.some(({ type }) => type === "image")) return made;
  return made.map(({ text }) => text).join("\n");
}

const IMAGES = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** Pictures stand in files of their own; bytes inside the document are not foreseen. */
function picture(part: Media, entry: string, out: Outgoing): Json {
  const path = part.path ?? linkOf(part);
  if (part.type === "image" && path !== undefined && IMAGES.includes(part.mimeType ?? ""))
    return { type: "image", source: { media_type: part.mimeType, path } };
  out.media(part, entry, mention(part));
  return { type: "text", text: mention(part) };
}

interface Metrics {
  prompt_tokens: number;
  completion_tokens: number;
  cached_tokens?: number;
  cost_usd?: number;
  extra?: Json;
}

function metricsOf(usage: Usage): Metrics {
  const { cacheWrite, reasoning } = usage;
  const extra = defined({ cache_creation_tokens: cacheWrite, reasoning_tokens: reasoning });
  return {
    prompt_tokens: promptTokens(usage),
    completion_tokens: usage.output,
    ...(usage.cacheRead !== undefined && { cached_tokens: usage.cacheRead }),
    ...(usage.cost !== undefined && { cost_usd: usage.cost }),
    ...(Object.keys(extra).length > 0 && { extra }),
  };
}
