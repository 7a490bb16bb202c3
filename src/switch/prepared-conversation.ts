// A prepared conversation as the messages of the target's API: what its model will be sent, in the vendor's own form.
import type { Adapter } from "../adapters/adapter.ts";
import { formats } from "../formats/index.ts";
import { BatonError } from "../session/error.ts";
import type { Entry } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { type Exchange, exchanges } from "../transform/exchanges.ts";
import type { SwitchAnalysis } from "./analyse.ts";
import type { Prepared } from "./prepare-switch.ts";
import type { SwitchWarning } from "./warnings.ts";
import { amount } from "./wording.ts";

export type HistoryMessage = Record<string, unknown>;

export interface PreparedConversation {
  history: HistoryMessage[];
  systemPrompt?: string;
  warnings: SwitchWarning[];
  summarized: boolean;
  originalMessageCount: number;
  preservedMessageCount: number;
}

/** The format of each API, and what it calls its list of messages. */
const HISTORIES: Record<Adapter["api"], readonly [format: string, list: string]> = {
  anthropic: ["anthropic", "messages"],
  responses: ["openai-responses", "input"],
  chat: ["openai-chat", "messages"],
  gemini: ["gemini-contents", "contents"],
};

export async function preparedConversation(
  prepared: Prepared,
  { warnings }: Pick<SwitchAnalysis, "warnings">,
): Promise<PreparedConversation> {
  const { originalMessageCount, preservedMessageCount, reduction, isFitting } = prepared;
  if (!isFitting && !reduction) throw tooLarge(prepared);
  const systemPrompt = await instructionsIn(prepared.stream().entries());
  return {
    history: await historyOf(prepared),
    ...(systemPrompt !== "" && { systemPrompt }),
    warnings,
    summarized: reduction?.summary !== undefined,
    originalMessageCount,
    preservedMessageCount,
  };
}

function tooLarge({ size, impossible }: Prepared): BatonError {
  return new BatonError(
    "refused",
    `${amount(size.total)} tokens are more than the target's model can be sent.`,
    impossible?.hint ?? "Choose with --strategy how to reduce it: truncate, summarize or hybrid.",
  );
}

/** It fits into a model's window, so it fits into memory. */
async function historyOf({ target, stream, isOwn }: Prepared): Promise<HistoryMessage[]> {
  const [id, list] = HISTORIES[target.agent.api];
  const format = formats.find((one) => one.id === id);
  const translated = isOwn ? stream() : inWordsOf(target.agent, stream());
  let text = "";
  for await (const piece of format?.write(translated) ?? []) text += piece;
  return JSON.parse(text)[list];
}

/** Calls as the target's own tools, which its writer makes of them too. */
function inWordsOf(agent: Adapter, stream: Stream): Stream {
  return {
    ...stream,
    async *entries() {
      for await (const item of exchanges(stream.entries())) {
        if (item.type !== "exchange") yield item;
        else yield* translated(item.pairs, agent);
      }
    },
  };
}

/** One call may become several; all of a message stand before their results. */
function translated(pairs: Exchange["pairs"], agent: Adapter): Entry[] {
  const made = pairs.flatMap(({ call, result }) =>
    agent.tools(call, result).pairs.map((one, at) => {
      const id = at === 0 ? call.id : `${call.id}-${at + 1}`;
      const named = { ...call, id, originalTool: one.name, originalInput: one.input };
      return { call: named, result: one.result && { ...one.result, callId: id } };
    }),
  );
  return [...made.map(({ call }) => call), ...made.flatMap(({ result }) => result ?? [])];
}

/** The instructions before the first message. */
async function instructionsIn(entries: AsyncIterable<Entry>): Promise<string> {
  const found: string[] = [];
  for await (const entry of entries) {
    if (entry.type !== "system") break;
    if (entry.content.trim() !== "") found.push(entry.content);
  }
  return found.join("\n\n");
}
