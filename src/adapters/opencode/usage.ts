// Tokens and cost. OpenCode's input count leaves out what came from a cache, as the universal one does; every step
// of a message has its own count, and the message the sum or, in newer versions, the only one.
import type { Usage } from "../../session/session.ts";
import type { Folded } from "../../session/source.ts";
import { type MessageContext, stepTurns } from "./messages.ts";
import { count, isObject, type JsonObject, objectOf, type PartRow, word } from "./native.ts";

export function usagesOf(context: MessageContext, parts: readonly PartRow[]): Counted[] {
  const found: { turn: string; usage: Usage }[] = [];
  for (const { turn, parts: inside } of stepTurns(context.id, parts)) {
    const finish = inside.find(({ data }) => data.type === "step-finish");
    const usage = finish && usageOf(finish.data);
    if (usage) found.push({ turn, usage });
  }
  const whole = found.length === 0 ? usageOf(context.data) : undefined;
  if (whole) found.push({ turn: context.id, usage: whole });
  const model = word(context.data.modelID);
  return found.map(({ turn, usage }, step) => ({
    type: "usage",
    turn,
    usage,
    message: `${printOf(context, usage)} ${step}`,
    ...(model !== undefined && { model }),
    timestamp: context.time,
  }));
}

/** A fork gives everything a new id (1.18.33); the times, to the millisecond, and the tokens are those of the message. */
function printOf({ id, data }: MessageContext, { input, output, cacheRead, cacheWrite }: Usage): string {
  const { created, completed } = objectOf(data.time);
  if (count(created) === undefined || count(completed) === undefined) return id;
  return [created, completed, word(data.modelID)?.slice(0, 100), input, output, cacheRead, cacheWrite].join(
    " ",
  );
}

type Counted = Extract<Folded, { type: "usage" }>;

export function usageOf({ tokens, cost }: JsonObject): Usage | undefined {
  if (!isObject(tokens)) return undefined;
  const cache = objectOf(tokens.cache);
  const [input, output, reasoning] = [tokens.input, tokens.output, tokens.reasoning].map(
    (number) => count(number) ?? 0,
  ) as [number, number, number];
  const [cacheRead, cacheWrite] = [count(cache.read) ?? 0, count(cache.write) ?? 0];
  // 1.18.33 counts reasoning beside the output and says so by a total; where there is none it is part of the output.
  const isApart = count(tokens.total) === input + output + reasoning + cacheRead + cacheWrite;
  const usage: Usage = {
    input,
    output: isApart ? output + reasoning : output,
    cacheRead,
    cacheWrite,
    reasoning,
    ...(count(cost) !== undefined && { cost: count(cost) }),
  };
  const isEmpty = usage.input + usage.output + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) === 0;
  return isEmpty && !usage.cost ? undefined : usage;
}
