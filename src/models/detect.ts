// Whose model it is, also where it has open weights and somebody else serves it.
import { badgeOf, vendorOf } from "../session/vendor.ts";
import { plainId } from "./names.ts";

/** `claude`, `gemini`, `openai`, another vendor's name, or `unknown`. */
export function detectProvider(model: string): string {
  const maker = makerOf(model);
  return maker === undefined ? "unknown" : badgeOf(maker);
}

/** The vendor's own name (`anthropic`, `google`, `openai`, `meta`, …), or undefined. */
export function makerOf(model: string): string | undefined {
  const name = plainId(model);
  return vendorOf(name) ?? OTHERS.find(([pattern]) => pattern.test(name))?.[1] ?? organizationOf(model);
}

const OTHERS: readonly (readonly [name: RegExp, vendor: string])[] = [
  [/^gemma/, "google"],
  [/^(?:codellama|llama|muse-)/, "meta"],
  [/^(?:qwen|qwq|qvq)/, "qwen"],
  [/^deepseek/, "deepseek"],
  [/^(?:open-|labs-)?(?:mistral|mixtral|codestral|devstral|magistral|ministral|pixtral|voxtral)/, "mistral"],
  [/^(?:kimi|moonshot)/, "moonshot"],
  [/^(?:zai-|chat)?glm/, "zhipu"],
  [/^grok/, "xai"],
  [/^minimax/, "minimax"],
  [/^nemotron/, "nvidia"],
  [/^command-/, "cohere"],
  [/^phi-?\d/, "microsoft"],
  [/^granite/, "ibm"],
];

/**
 * Routers write them before the name: `x-ai/…`, `us.deepseek.…`. OpenAI is none of them: `openai/…` may be anybody's
 * model behind the same API.
 */
const ORGANIZATIONS: ReadonlyMap<string, string> = new Map([
  ["anthropic", "anthropic"],
  ["google", "google"],
  ["meta", "meta"],
  ["meta-llama", "meta"],
  ["qwen", "qwen"],
  ["deepseek", "deepseek"],
  ["deepseek-ai", "deepseek"],
  ["mistral", "mistral"],
  ["mistralai", "mistral"],
  ["moonshot", "moonshot"],
  ["moonshotai", "moonshot"],
  ["z-ai", "zhipu"],
  ["zai", "zhipu"],
  ["zai-org", "zhipu"],
  ["zhipuai", "zhipu"],
  ["x-ai", "xai"],
  ["xai", "xai"],
  ["minimax", "minimax"],
  ["minimaxai", "minimax"],
  ["nvidia", "nvidia"],
  ["cohere", "cohere"],
  ["microsoft", "microsoft"],
  ["ibm-granite", "ibm"],
]);

function organizationOf(model: string): string | undefined {
  const before = model.toLowerCase().split(/[/.]/).slice(0, -1);
  const found = before.findLast((name) => ORGANIZATIONS.has(name));
  return found === undefined ? undefined : ORGANIZATIONS.get(found);
}
