// A session step by step where there is no screen: as text, or as the turns of one JSON document. Both are written as
// they are read, so that a session of any size fits.
import type { Entry } from "../../session/session.ts";
import type { Stream } from "../../session/source.ts";
import { type Exchange, exchanges } from "../../transform/exchanges.ts";
import {
  factsOptions,
  isPrompt,
  newTurn,
  type PriceOf,
  type TurnFacts,
  type TurnTally,
} from "../../transform/turn-facts.ts";
import { spentText } from "../comparison.ts";
import { itemText, type RenderOptions } from "../render.ts";
import { counted, duration } from "../text.ts";

type Item = Exclude<Entry, { type: "tool_call" }> | Exchange;

export async function* replayText(
  stream: Stream,
  options: RenderOptions,
  priceOf?: PriceOf,
): AsyncGenerator<string> {
  const { colors } = options;
  let number = 0;
  for await (const { item, ended, begins } of inTurns(stream, priceOf)) {
    if (ended) yield endText(ended, options);
    if (item === undefined) return;
    if (begins) yield `${colors.dim(`── turn ${++number} ──`)}\n`;
    const text = itemText(item, options).replace(/\n+$/, "");
    if (text !== "") yield `${text}\n`;
  }
}

function endText(facts: TurnFacts, { colors }: RenderOptions): string {
  const calls = Object.values(facts.tools).reduce((sum, count) => sum + count, 0);
  const changed = facts.files.filter((file) => file.changed).length;
  const told = [
    facts.ms === null ? "" : duration(facts.ms),
    calls === 0 ? "" : counted(calls, "call"),
    changed === 0 ? "" : `${counted(changed, "file")} changed`,
    facts.errors === 0 ? "" : `${facts.errors} failed`,
    spentText(facts),
  ];
  const line = told.filter(Boolean).join(" · ");
  return line === "" ? "\n" : `${colors.dim(`   ${line}`)}\n\n`;
}

/** `{turns: [{entry, prompt, steps, …}]}`; what a turn took stands behind its steps, because it is known only then. */
export async function* replayJson(stream: Stream, priceOf?: PriceOf): AsyncGenerator<string> {
  yield '{"turns":[';
  let isOpen = false;
  let isFirst = true;
  for await (const { item, ended, begins } of inTurns(stream, priceOf)) {
    if (ended && isOpen) {
      const { prompt: _, entry: __, ...rest } = ended;
      yield `],${JSON.stringify(rest).slice(1)}`;
      isOpen = false;
    }
    if (item === undefined) break;
    if (begins || !isOpen) {
      const prompt = begins && item.type === "user" ? item : undefined;
      const entry = JSON.stringify(prompt?.id ?? null);
      yield `${isFirst ? "" : ","}\n{"entry":${entry},"prompt":${JSON.stringify(prompt?.content ?? "")},"steps":[`;
      isFirst = true;
      isOpen = true;
    }
    for (const step of stepsOf(item)) {
      yield `${isFirst ? "" : ","}\n${JSON.stringify(step)}`;
      isFirst = false;
    }
  }
  yield "\n]}\n";
}

/** Universal entries, a call with its result in it. */
function stepsOf(item: Item): unknown[] {
  if (item.type !== "exchange") return [item];
  return item.pairs.map(({ call, result }) => ({ ...call, result: result ?? null }));
}

interface Told {
  /** Absent at the end. */
  item?: Item;
  /** The turn that ended before this item. */
  ended?: TurnFacts;
  begins: boolean;
}

async function* inTurns(stream: Stream, priceOf?: PriceOf): AsyncGenerator<Told> {
  const options = factsOptions(stream.header, priceOf);
  let turn: TurnTally | undefined;
  for await (const item of exchanges(stream.entries())) {
    const begins = item.type !== "exchange" && isPrompt(item);
    const ended = begins ? turn?.facts() : undefined;
    if (begins || !turn) turn = newTurn(options);
    for (const entry of entriesOf(item)) turn.add(entry);
    yield { item, begins, ...(ended && { ended }) };
  }
  if (turn) yield { begins: false, ended: turn.facts() };
}

function entriesOf(item: Item): Entry[] {
  if (item.type !== "exchange") return [item];
  return item.pairs.flatMap(({ call, result }) => (result ? [call, result] : [call]));
}
