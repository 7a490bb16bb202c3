// Token counts. Codex records them per response, and again in running totals; its input counts include what
// came from the cache.
import type { Usage } from "../../session/session.ts";
import { count, isObject, type JsonObject } from "./native.ts";

export function usageOf(raw: unknown): Usage | undefined {
  if (!isObject(raw)) return undefined;
  const input = count(raw.input_tokens);
  const output = count(raw.output_tokens);
  if (input === undefined || output === undefined) return undefined;
  const cacheRead = count(raw.cached_input_tokens) ?? 0;
  const cacheWrite = count(raw.cache_write_input_tokens) ?? 0;
  const reasoning = count(raw.reasoning_output_tokens) ?? 0;
  return {
    input: Math.max(0, input - cacheRead - cacheWrite),
    output,
    ...(cacheRead > 0 && { cacheRead }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(reasoning > 0 && { reasoning }),
  };
}

/** The newest response in a token_count event, and the running total that tells a repetition. */
export function countedOf(event: JsonObject): { usage: Usage; total: number } | undefined {
  if (!isObject(event.info) || !isObject(event.info.total_token_usage)) return undefined;
  const usage = usageOf(event.info.last_token_usage);
  const total = count(event.info.total_token_usage.total_tokens);
  return usage && total !== undefined ? { usage, total } : undefined;
}
