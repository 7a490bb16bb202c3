// Tokens and cost. OpenCode's input count leaves out what came from a cache, as the universal one does; every step
// of a message has its own count, and the message the sum or, in newer versions, the only one.
import type { Usage } from "../../session/session.ts";
import { type MessageContext, stepTurns } from "./messages.ts";
import { count, isObject, type JsonObject, objectOf, type PartRow } from "./native.ts";

export function usagesOf(
  context: MessageContext,
  parts: readonly PartRow[],
): { turn: string; usage: Usage }[] {
  const found: { turn: string; usage: Usage }[] = [];
  for (const { turn, parts: inside } of stepTurns(context.id, parts)) {
    const finish = inside.find(({ data }) => data.type === "step-finish");
    const usage = finish && usageOf(finish.data);
    if (usage) found.push({ turn, usage });
  }
  if (found.length > 0) return found;
  const whole = usageOf(context.data);
  return whole ? [{ turn: context.id, usage: whole }] : [];
}

function usageOf({ tokens, cost }: JsonObject): Usage | undefined {
  if (!isObject(tokens)) return undefined;
  const cache = objectOf(tokens.cache);
  const usage: Usage = {
    input: count(tokens.input) ?? 0,
    output: count(tokens.output) ?? 0,
    cacheRead: count(cache.read) ?? 0,
    cacheWrite: count(cache.write) ?? 0,
    reasoning: count(tokens.reasoning) ?? 0,
    ...(count(cost) !== undefined && { cost: count(cost) }),
  };
  const isEmpty = usage.input + usage.output + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0) === 0;
  return isEmpty && !usage.cost ? undefined : usage;
}
