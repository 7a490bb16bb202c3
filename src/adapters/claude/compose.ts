// Writes a session that another agent recorded, or whose records are not at hand, in Claude Code's dialect:
// one line per block, results under their calls, the rest as it can be said.
import { batchesOf } from "../../session/batches.ts";
import { isMedia } from "../../session/image.ts";
import { loss } from "../../session/losses.ts";
import type { AssistantEntry, Compaction, Entry, SystemEntry, UserEntry } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import { entryText } from "../../session/text.ts";
import { type Exchange, exchanges } from "../../transform/exchanges.ts";
import type { Written } from "../adapter.ts";
import { INSTRUCTIONS_MARK, isInstructions } from "../instructions.ts";
import { type SwitchEntry, switchMark, switchWords } from "../switched.ts";
import { tally } from "../tally.ts";
import { contentOf } from "./blocks.ts";
import { blocksOfParts, type Draft, empty, remember } from "./draft.ts";
import { chained, line, type Says, says, type Thread, uuidAt } from "./lines.ts";
import { groupsOf } from "./messages.ts";
import { composeAssistant, composeExchange } from "./model-lines.ts";
import type { ClaudeBlock, Json } from "./native.ts";

export async function* compose(stream: Stream, draft: Draft): AsyncGenerator<Written[]> {
  const counted = tally();
  for await (const batch of batchesOf(exchanges(stream.entries()))) {
    const out: Written[] = [];
    for (const item of batch) {
      composeItem(item, draft, out);
      drain(draft, counted, out);
    }
    yield out;
  }
  const rest: Written[] = [];
  summarise(draft);
  drain(draft, counted, rest);
  yield [...rest, ...counted.finish()];
}

/** Losses in the order in which they were met. */
function drain({ losses }: Draft, counted: ReturnType<typeof tally>, out: Written[]): void {
  if (losses.length === 0) return;
  // Which call became several has to be known.
  for (const found of losses)
    if (found.kind === "tool_split" || counted.add(found)) out.push({ type: "loss", loss: found });
  losses.length = 0;
}

type Item = Exclude<Entry, { type: "tool_call" }> | Exchange;

function composeItem(item: Item, draft: Draft, out: Written[]): void {
  const { losses } = draft;
  if ("note" in item && item.note) {
    losses.push(loss("system_dropped", { entry: item.id }, "a note that no model saw"));
    return;
  }
  switch (item.type) {
    case "user":
      composeUser(item, draft, out);
      break;
    case "assistant":
      composeAssistant(item, draft, out);
      composeMade(item, draft, out);
      break;
    case "exchange":
      composeExchange(item, draft, out);
      break;
    case "system":
      losses.push(loss("role_changed", { entry: item.id }, "a system message became a hidden user message"));
      composeUser(item, draft, out);
      break;
    case "compaction":
      composeCompaction(item, draft, out);
      break;
    case "switch":
      out.push(composeSwitch(item, draft));
      break;
    case "tool_result":
      losses.push(loss("result_dropped", { entry: item.id }, `its call ${item.callId} is not there`));
      break;
    default:
      item satisfies never;
  }
}

function composeUser(entry: UserEntry | SystemEntry, draft: Draft, out: Written[]): void {
  const blocks = blocksOfParts(entry, draft.losses);
  if (blocks.length === 0) {
    empty(entry, draft);
    return;
  }
  const isHidden = entry.injected || entry.type === "system";
  const type = isInstructions(entry) ? "system" : "user";
  const record: Json = { ...(isHidden && { isMeta: true }), ...(type === "system" && INSTRUCTIONS_MARK) };
  const said = groupsOf(record, blocks).map((group) => [type, contentOf(group.blocks).text] as const);
  draft.message = undefined;
  if (!isHidden) draft.lastPrompt = said[0]?.[1] ?? "";
  out.push(
    remember(draft, entry.id, chainedUser(draft.thread, inOne(blocks), record, entry.timestamp, said)),
  );
}

/** A model's message holds text only, so what the model made follows in the user's role. */
function composeMade(entry: AssistantEntry, draft: Draft, out: Written[]): void {
  const parts = entry.parts?.filter(isMedia) ?? [];
  if (parts.length === 0) return;
  const what = parts.map(({ type }) => type).join(", ");
  draft.losses.push(loss("role_changed", { entry: entry.id }, `${what} of the model, in a user message`));
  const { timestamp, id } = entry;
  composeUser({ id, timestamp, type: "user", content: "", parts, injected: true }, draft, out);
}

function chainedUser(thread: Thread, content: unknown, more: Json, timestamp: string, said: Says) {
  const fields = { type: "user", message: { role: "user", content }, ...more };
  return chained(thread, fields, { timestamp, says: said });
}

/** Plain text stays a plain string, as the CLI writes it. */
function inOne(blocks: readonly ClaudeBlock[]): unknown {
  return blocks.length === 1 && blocks[0]?.type === "text" ? blocks[0].text : blocks;
}

function composeCompaction(entry: Compaction, draft: Draft, out: Written[]): void {
  const { thread } = draft;
  const { timestamp } = entry;
  draft.message = undefined;
  const keeps = (entry.keeps ?? []).flatMap((id) => draft.uuids.get(id) ?? []);
  const replaced = entry.replacement !== undefined && entry.replacement.length > 0;
  const summary = replaced ? "" : entry.summary || "[The conversation up to here was taken out]";
  // What is kept hangs below the summary, or below the boundary itself where there is none.
  const anchor = uuidAt(thread, summary === "" ? 0 : 1);
  const said = summary === "" ? says("compaction", "") : [];
  out.push(chained(thread, boundaryFields(thread, anchor, keeps), { timestamp, says: said, parent: null }));
  if (summary !== "") {
    const record = chainedUser(
      thread,
      summary,
      { isCompactSummary: true },
      timestamp,
      says("compaction", summary),
    );
    out.push(remember(draft, entry.id, record));
  }
  for (const one of entry.replacement ?? []) composeItem(one as Item, draft, out);
}

function boundaryFields(
  thread: Thread,
  anchorUuid: string,
  uuids: readonly string[],
): Json & { type: string } {
  const preservedMessages = { anchorUuid, uuids, allUuids: uuids };
  return {
    type: "system",
    subtype: "compact_boundary",
    content: "Conversation compacted",
    isMeta: false,
    level: "info",
    logicalParentUuid: thread.parent,
    compactMetadata: { trigger: "manual", preTokens: 0, ...(uuids.length > 0 && { preservedMessages }) },
  };
}

/** The CLI shows such a line, unless its level is `info`, and never sends it; fields that are not known do no harm. */
function composeSwitch(entry: SwitchEntry, draft: Draft): Written {
  draft.message = undefined;
  const content = switchWords(entry);
  const shown = { type: "system", subtype: "informational", content, isMeta: false, level: "notice" };
  const fields = { ...shown, ...switchMark(entry) };
  const { timestamp } = entry;
  return remember(
    draft,
    entry.id,
    chained(draft.thread, fields, { timestamp, says: says("switch", entryText(entry)) }),
  );
}

function summarise({ foreign, losses, thread }: Draft): void {
  if (thread.replaced > 0) losses.push(loss("text_replaced", {}, `in ${thread.replaced} record(s)`));
  thread.replaced = 0;
  if (foreign.models.size > 0) {
    const next = thread.target.model ?? "the default model";
    losses.push(loss("model_changed", {}, `${[...foreign.models].join(", ")}; goes on with ${next}`));
  }
  if (foreign.usage) losses.push(loss("usage_dropped", {}, "token counts of other vendors' models"));
}

/** What makes the picker show the session, and the CLI find its newest message. */
export function closing(draft: Draft): Written[] {
  const { thread } = draft;
  const { originalId: sessionId, title } = thread.target;
  if (thread.agentId !== undefined || thread.parent === null) return [];
  const lastPrompt = draft.lastPrompt.slice(0, 200);
  const last = line(thread.file, { type: "last-prompt", lastPrompt, leafUuid: thread.parent, sessionId });
  return title ? [line(thread.file, { type: "custom-title", customTitle: title, sessionId }), last] : [last];
}
