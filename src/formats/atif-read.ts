// Reads a trajectory of the Agent Trajectory Interchange Format (ATIF), from version 1.0 on: fields that came with
// later versions are simply absent in earlier ones.
import { loss } from "../session/losses.ts";
import type { Compaction, Entry, Part, Session, Tool, ToolCall, Usage } from "../session/session.ts";
import type { Source } from "../session/source.ts";
import { vendorOf } from "../session/vendor.ts";
import { configOf, gitIn, subagentLinks, unplaced } from "./atif-facts.ts";
import { isObject, type Json } from "./check.ts";
import {
  type Document,
  type Known,
  objectsAt,
  readDocument,
  sessionOf,
  sessionSource,
  wrong,
} from "./document.ts";
import { filled, isUniversal, newTimeline, type Timeline, text } from "./incoming.ts";

const LABEL = "the Agent Trajectory Interchange Format (ATIF)";
const VERSION = /^ATIF-v1\.\d+$/;

export async function readAtif(path: string): Promise<Source> {
  const document = await readDocument(path, LABEL);
  if (!isObject(document.value)) throw wrong(document, "", "it is not an object.");
  const { entries, known, losses, children } = trajectory(document.value, document, "");
  return sessionSource(document, entries, known, losses, children);
}

interface Read {
  entries: Entry[];
  known: Known;
  losses: Timeline["losses"];
  children: Session[];
}

function trajectory(value: Json, document: Document, place: string): Read {
  const at = (name: string) => (place === "" ? name : `${place}.${name}`);
  if (typeof value.schema_version !== "string" || !VERSION.test(value.schema_version))
    throw wrong(
      document,
      at("schema_version"),
      `${JSON.stringify(value.schema_version)} is not one that Baton reads.`,
    );
  const timeline = newTimeline(document.time);
  addSteps(timeline, objectsAt(document, value.steps, at("steps")), at("steps"), document);
  timeline.losses.push(...unplaced(value));
  const subagents = value.subagent_trajectories ?? [];
  const children = objectsAt(document, subagents, at("subagent_trajectories")).map((child, index) => {
    const inner = trajectory(child, document, `${at("subagent_trajectories")}[${index}]`);
    timeline.losses.push(...inner.losses);
    const session = sessionOf(document, inner.entries, inner.known);
    return inner.children.length > 0 ? { ...session, children: inner.children } : session;
  });
  const known = { ...knownOf(value), links: subagentLinks(value, children) };
  return { entries: timeline.entries, known, losses: timeline.losses, children };
}

/** What a compaction left follows it and says so; its entries may have the ids of those that they replace. */
function addSteps(timeline: Timeline, steps: readonly Json[], place: string, document: Document): void {
  let left: Timeline | undefined;
  for (const [index, step] of steps.entries()) {
    const last = timeline.entries.at(-1);
    const isLeft = last?.type === "compaction" && isObject(step.extra) && step.extra.compaction === last.id;
    if (!isLeft) left = undefined;
    else if (!left) {
      left = newTimeline(document.time);
      last.replacement = left.entries as Compaction["replacement"];
    }
    addStep(left ?? timeline, step, `${place}[${index}]`, document);
    if (left) timeline.losses.push(...left.losses.splice(0));
  }
}

function knownOf(value: Json): Known {
  const agent = isObject(value.agent) ? value.agent : {};
  const extra = isObject(value.extra) ? value.extra : {};
  const metrics = isObject(value.final_metrics) ? value.final_metrics : {};
  const model = filled(agent.model_name);
  const input = number(metrics.total_prompt_tokens);
  const cacheRead = number(metrics.total_cached_tokens);
  const output = number(metrics.total_completion_tokens);
  const cost = number(metrics.total_cost_usd);
  const isCounted = (input ?? 0) + (output ?? 0) > 0;
  const tokens = {
    input: (input ?? 0) - (cacheRead ?? 0),
    output: output ?? 0,
    ...(cacheRead && { cacheRead }),
  };
  return {
    format: "atif",
    originalId: filled(value.session_id) ?? filled(value.trajectory_id),
    title: filled(extra.title),
    summary: filled(extra.summary),
    cwd: filled(extra.cwd),
    git: gitIn(extra.git),
    model,
    provider: filled(extra.provider) ?? vendorOf(model),
    config: configOf(value, agent),
    created: filled(extra.created),
    updated: filled(extra.updated),
    metadata: { ...(isCounted && { tokens }), ...(cost && { cost }) },
  };
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function addStep(timeline: Timeline, step: Json, place: string, document: Document): void {
  const extra = isObject(step.extra) ? step.extra : {};
  const id = filled(extra.id) ?? `step-${String(step.step_id)}`;
  const parts = partsIn(step.message, document, `${place}.message`, timeline, id);
  const time = filled(step.timestamp);
  const common = {
    ...(time !== undefined && { timestamp: time }),
    ...(extra.injected === true && { injected: true }),
    ...(extra.note === true && { note: true }),
  };
  switch (step.source) {
    case "user":
      timeline.user(id, parts, common);
      break;
    case "system":
      addSystem(timeline, id, parts, extra, common);
      break;
    case "agent":
      addReply(timeline, step, id, parts, common);
      break;
    default:
      throw wrong(
        document,
        `${place}.source`,
        `must be user, agent or system, not ${JSON.stringify(step.source)}.`,
      );
  }
  addResults(timeline, step, id, place, document, time);
}

function addSystem(timeline: Timeline, id: string, parts: readonly Part[], extra: Json, common: Json): void {
  const content = parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  const timestamp = filled(common.timestamp) ?? "";
  if (extra.kind === "switch" && isObject(extra.switch)) {
    const made = extra.switch as Extract<Entry, { type: "switch" }>["switch"];
    timeline.entries.push({ id, timestamp, type: "switch", switch: made });
  } else if (extra.kind === "empty") {
    return;
  } else if (extra.kind === "compaction") {
    const keeps = Array.isArray(extra.keeps) ? extra.keeps.map(String) : undefined;
    timeline.entries.push({
      id,
      timestamp,
      type: "compaction",
      ...(content !== "" && { summary: content }),
      ...(keeps && { keeps }),
      ...(extra.replaced === true && { replacement: [] }),
    });
  } else {
    const subtype = filled(extra.subtype);
    timeline.system(id, content, { ...common, ...(subtype !== undefined && { subtype }) });
  }
}

function addReply(timeline: Timeline, step: Json, id: string, parts: Part[], common: Json): void {
  const model = filled(step.model_name);
  const provider = vendorOf(model);
  const author = { ...common, ...(model !== undefined && { model }), ...(provider && { provider }) };
  const thought = filled(step.reasoning_content);
  const said: Part[] = thought === undefined ? parts : [{ type: "thinking", text: thought }, ...parts];
  timeline.reply(id, id, said, author);
  const calls = Array.isArray(step.tool_calls) ? step.tool_calls.filter(isObject) : [];
  for (const call of calls) {
    const name = text(call.function_name);
    const more = { ...author, ...universalOf(call.extra, name, call.arguments) };
    timeline.call(text(call.tool_call_id), id, name, call.arguments ?? {}, more);
  }
  const last = timeline.entries.at(-1);
  if (isObject(step.metrics) && last && last.turn === id) last.usage = usageOf(step.metrics);
}

/** What a call means in universal terms, if the writer said so. */
function universalOf(extra: unknown, name: string, given: unknown): Partial<ToolCall> {
  if (!isObject(extra)) return {};
  const original = {
    originalTool: name,
    originalInput: typeof extra.text === "string" ? extra.text : given,
    ...(extra.hosted === true && { hosted: true }),
  };
  if (typeof extra.tool !== "string" || !isObject(extra.input))
    return extra.hosted === true ? { hosted: true } : {};
  const { tool, input } = extra;
  if (tool !== "unknown" && typeof input.patch !== "string" && !isUniversal(tool, input)) return {};
  return { tool: tool as Tool, input, ...original };
}

/** What the environment answered; it may also answer nothing in particular. */
function addResults(
  timeline: Timeline,
  step: Json,
  id: string,
  place: string,
  document: Document,
  time: string | undefined,
): void {
  if (!isObject(step.observation)) return;
  const results = objectsAt(document, step.observation.results, `${place}.observation.results`);
  for (const [at, result] of results.entries()) {
    const own = `${id}.result${at}`;
    const where = `${place}.observation.results[${at}].content`;
    const parts = partsIn(result.content ?? "", document, where, timeline, own);
    const isError = isObject(result.extra) && result.extra.is_error === true;
    const callId = filled(result.source_call_id);
    const more = time === undefined ? {} : { timestamp: time };
    if (callId !== undefined) timeline.result(own, callId, parts, !isError, more);
    else if (parts.length > 0) timeline.user(own, parts, { ...more, injected: true });
  }
}

function usageOf(metrics: Json): Usage {
  const extra = isObject(metrics.extra) ? metrics.extra : {};
  const cacheRead = number(metrics.cached_tokens);
  const cacheWrite = number(extra.cache_creation_tokens);
  const reasoning = number(extra.reasoning_tokens);
  const cost = number(metrics.cost_usd);
  return {
    input: (number(metrics.prompt_tokens) ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0),
    output: number(metrics.completion_tokens) ?? 0,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
    ...(reasoning !== undefined && { reasoning }),
    ...(cost !== undefined && { cost }),
  };
}

function partsIn(
  message: unknown,
  document: Document,
  place: string,
  timeline: Timeline,
  entry: string,
): Part[] {
  if (typeof message === "string") return message === "" ? [] : [{ type: "text", text: message }];
  return objectsAt(document, message, place).map((part): Part => {
    if (part.type === "text") return { type: "text", text: text(part.text) };
    if (part.type === "image" && isObject(part.source)) return imageOf(part.source);
    timeline.losses.push(loss("part_converted", { entry }, `a part of type ${String(part.type)}`));
    return { type: "text", text: JSON.stringify(part) };
  });
}

function imageOf(source: Json): Part {
  const mimeType = filled(source.media_type);
  const path = text(source.path);
  const place = /^[a-z]+:/i.test(path) ? { url: path } : { path };
  return { type: "image", ...(mimeType !== undefined && { mimeType }), ...place };
}
