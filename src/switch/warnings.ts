// What somebody who switches should know of the content and of both models, a sentence for each matter: what will
// not cross and what changes. Codes are the kinds of the closed list in session/losses.ts.
import type { Adapter } from "../adapters/adapter.ts";
import { mcpToolOf } from "../adapters/mcp.ts";
import type { ModelFacts } from "../models/facts.ts";
import { plainId } from "../models/names.ts";
import { LOSSES, type LossName, type Severity } from "../session/losses.ts";
import { type Feature, type Mention, newMention, type Survey } from "./survey.ts";
import type { SwitchTarget } from "./target.ts";
import type { ThinkingPolicy } from "./thinking.ts";
import { counted, windowText } from "./wording.ts";

export interface SwitchWarning {
  type: Severity;
  code: LossName;
  message: string;
  /** Indices into the list of messages that the model sees. */
  affectedMessages?: number[];
  /** Ids of the entries that it concerns. */
  entries?: string[];
}

/** What all of it is about. */
export interface Situation {
  survey: Survey;
  /** The agent whose session it is, undefined for a file that is nobody's, and its MCP servers. */
  source: { agent: Adapter | undefined; servers: readonly string[]; model: ModelFacts };
  target: SwitchTarget;
  thinking: ThinkingPolicy;
  /** Calls that stay. */
  toolCalls: number;
  /** False = calls are left out, and so is all that concerns them. */
  toolHistory: boolean;
  /** Entries whose thinking stays as it is. */
  keptThinking: ReadonlySet<string>;
}

export function contentWarnings(situation: Situation): SwitchWarning[] {
  return [
    ...thinkingWarnings(situation),
    ...artifactWarnings(situation),
    ...mcpWarnings(situation),
    ...mediaWarnings(situation),
    ...providerWarnings(situation),
    ...modelWarnings(situation),
    ...callWarnings(situation),
  ];
}

export function warningOf(
  code: LossName,
  message: string,
  mention?: Pick<Mention, "messages" | "entries">,
  type: Severity = LOSSES[code].severity,
): SwitchWarning {
  const where = mention && { affectedMessages: [...mention.messages], entries: [...mention.entries] };
  return { type, code, message, ...where };
}

function thinkingWarnings({ survey, target, thinking, keptThinking }: Situation): SwitchWarning[] {
  const warnings: SwitchWarning[] = [];
  const all = survey.features.get("thinking");
  const blocks = all && without(all, keptThinking, survey);
  const { name, thinking: own } = target.model;
  if (blocks && blocks.count > 0) {
    const what = counted(blocks.count, "thinking block");
    const code = thinking === "convert" ? "thinking_converted" : "thinking_dropped";
    const fate = { drop: "dropped", convert: "converted to text", ask: "dropped or converted: you choose" };
    const why = target.model.known ? THINKING[own](name) : "thinking is bound to the model that wrote it.";
    const message = `${what} will be ${fate[thinking]}: ${why}`;
    // A model that reasons by itself replaces what is left out.
    const type = own === "hidden" && thinking === "drop" ? "info" : "warning";
    warnings.push(warningOf(code, message, blocks, type));
  }
  const hidden = survey.features.get("hiddenThinking");
  const left = hidden && without(hidden, keptThinking, survey);
  if (left && left.count > 0)
    warnings.push(
      warningOf(
        "thinking_hidden",
        `${counted(left.count, "block")} of reasoning never had a text that was shown: nothing of it can cross.`,
        left,
      ),
    );
  if (own === "hidden" && target.model.known)
    warnings.push(warningOf("reasoning_own", `${name} reasons by itself, and does not show it.`));
  return warnings;
}

/** Why thinking does not stay what it is, by what the target's model does. */
const THINKING: Record<ModelFacts["thinking"], (name: string) => string> = {
  signed: (name) => `${name} takes only thinking that it has signed itself.`,
  thoughts: (name) => `${name} has thoughts of its own and takes nobody else's.`,
  hidden: (name) => `${name} generates reasoning of its own, which takes its place.`,
  none: (name) => `${name} does not support thinking.`,
};

function without(mention: Mention, kept: ReadonlySet<string>, survey: Survey): Mention {
  const { entries } = mention;
  const left = entries.filter((entry) => !kept.has(entry));
  if (left.length === entries.length) return mention;
  const messages = left.flatMap((entry) => survey.messageOf(entry) ?? []);
  const count = left.reduce((sum, entry) => sum + (mention.counts.get(entry) ?? 0), 0);
  return { ...mention, count, entries: left, messages: [...new Set(messages)] };
}

function artifactWarnings({ survey, source, target }: Situation): SwitchWarning[] {
  const found = survey.features.get("artifacts");
  if (!found || isOwn(source, target)) return [];
  const message = `${counted(found.count, "artifact")} will be inlined as code or text.`;
  return [warningOf("artifact_inlined", message, found)];
}

/** Servers whose tools were used and that the target's own configuration lacks. */
function mcpWarnings({ survey, source, target, toolHistory }: Situation): SwitchWarning[] {
  const missing = new Map<string, Mention & { tools: Set<string> }>();
  for (const [name, found] of survey.otherTools) {
    const called = mcpToolOf(source.agent ?? {}, name, source.servers);
    if (!called || isThere(called.server, target)) continue;
    const known = missing.get(called.server) ?? { ...newMention(), tools: new Set() };
    missing.set(called.server, known);
    known.count += found.count;
    known.messages = known.messages.concat(found.messages);
    known.entries = known.entries.concat(found.entries);
    known.tools.add(called.tool);
  }
  const { label } = target.agent;
  const lacks = target.configuration.damaged
    ? `whether ${label} has such a server is not known`
    : `${label} has no such server`;
  const kept = toolHistory ? "Results stay as context" : "They are left out";
  return [...missing].map(([server, found]) => {
    const calls = `${counted(found.count, "call")} of the MCP server ${server} (${[...found.tools].join(", ")})`;
    const message = `${calls}: ${lacks}. ${kept}; new calls will fail until it is set up there.`;
    const messages = [...new Set(found.messages)].toSorted((a, b) => a - b);
    return warningOf("mcp_missing", message, { ...found, messages });
  });
}

function isThere(server: string, { configuration }: SwitchTarget): boolean {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, "_");
  return configuration.mcpServers.some((one) => plain(one) === plain(server));
}

/** Of a model that nobody knows nothing is claimed. */
function mediaWarnings({ survey, target }: Situation): SwitchWarning[] {
  const { model } = target;
  if (!model.known) return [];
  const found: SwitchWarning[] = [];
  const pdfs = survey.features.get("pdfs");
  if (pdfs && !model.input.includes("pdf")) {
    const message = `${counted(pdfs.count, "PDF document")}: ${model.name} does not support PDF attachments.`;
    found.push(warningOf("pdf_unsupported", message, pdfs));
  }
  const images = merged(survey, ["images", "generatedImages"]);
  if (images && !model.input.includes("image")) {
    const message = `${counted(images.count, "image")}: ${model.name} cannot see images.`;
    found.push(warningOf("image_unsupported", message, images));
  }
  return found;
}

function merged({ features }: Survey, names: readonly Feature[]): Mention | undefined {
  const found = names.flatMap((name) => features.get(name) ?? []);
  if (found.length === 0) return undefined;
  const messages = [...new Set(found.flatMap((one) => one.messages))].toSorted((a, b) => a - b);
  return {
    count: found.reduce((sum, { count }) => sum + count, 0),
    messages,
    entries: found.flatMap(({ entries }) => entries),
    counts: new Map(found.flatMap(({ counts }) => [...counts])),
  };
}

/** What only the old provider did for its model; the same agent has it as it was. */
function providerWarnings({ survey, source, target, toolHistory }: Situation): SwitchWarning[] {
  if (isOwn(source, target)) return [];
  const found: SwitchWarning[] = [];
  const web = merged(survey, toolHistory ? ["webResults", "webCalls"] : ["webResults"]);
  if (web) {
    const message = `${counted(web.count, "web search or page", "web searches and pages")}: results are preserved as context only.`;
    found.push(warningOf("web_results", message, web));
  }
  const made = survey.features.get("generatedImages");
  if (made) {
    const message = `${counted(made.count, "generated image")} preserved as images where they are there, otherwise as addresses.`;
    found.push(warningOf("image_generated", message, made));
  }
  const ran = survey.features.get("codeExecution");
  if (ran && toolHistory) {
    const where = source.model.vendor ?? "the provider";
    const message = `${counted(ran.count, "tool")} ran at ${where} itself: ${target.agent.label} runs code with its own tools.`;
    found.push(warningOf("code_execution", message, ran));
  }
  return found;
}

/** Agents of these run the vendor's own models, unless they are set up otherwise. */
const VENDORS: ReadonlySet<string> = new Set(["anthropic", "google", "openai"]);

function modelWarnings({ source, target }: Situation): SwitchWarning[] {
  const { model, agent } = target;
  const found: SwitchWarning[] = [];
  if (!model.known) {
    const facts = `a window of ${windowText(model.window)}, replies of ${windowText(model.output)}`;
    found.push(
      warningOf(
        "model_unknown",
        `Nothing is known of ${model.name}: ${facts} and ${model.input.join(", ")} are assumed.`,
      ),
    );
  }
  const { provider } = target.configuration;
  const isForeign =
    model.vendor !== undefined && VENDORS.has(agent.provider) && model.vendor !== agent.provider;
  if (isForeign && (provider === undefined || provider === agent.provider))
    found.push(
      warningOf(
        "model_foreign",
        `${model.name} is no model of ${agent.provider}: ${agent.label} may refuse it.`,
      ),
    );
  if (!model.tools)
    found.push(
      warningOf(
        "tools_unsupported",
        `${model.name} cannot call tools, and ${agent.label} works with nothing else.`,
      ),
    );
  const isSame = plainId(model.id) === plainId(source.model.id);
  if (!isSame && model.known && source.model.known && model.output !== source.model.output)
    found.push(
      warningOf(
        "output_length",
        `${model.name} can reply with up to ${windowText(model.output)} tokens at once (before: ${windowText(source.model.output)}).`,
      ),
    );
  return found;
}

/** OpenAI's reasoning models that came before GPT-5 take calls in a form of their own. */
const O_SERIES = /^o\d/;

function callWarnings({ survey, source, target, toolHistory, toolCalls }: Situation): SwitchWarning[] {
  // What is left out is neither open nor translated.
  if (!toolHistory) return [];
  const found: SwitchWarning[] = [];
  const isSame = isOwn(source, target);
  const open = survey.features.get("unfinishedCalls");
  if (open) {
    const mark = isSame ? "" : ", and marked as interrupted";
    const message = `${counted(open.count, "tool call")} had no result yet: abandoned${mark}.`;
    found.push(warningOf("calls_unfinished", message, open));
  }
  const { model, agent } = target;
  if (toolCalls > 0 && !isSame) {
    const message = `${counted(toolCalls, "tool call")} will be translated: the format of ${model.name} in ${agent.label} differs.`;
    const isOwnForm = O_SERIES.test(plainId(model.id));
    found.push(warningOf("tool_format", message, undefined, isOwnForm ? "warning" : "info"));
  }
  return found;
}

/** The same agent goes on with what it wrote itself. */
function isOwn({ agent }: Situation["source"], target: SwitchTarget): boolean {
  return agent?.id === target.agent.id;
}
