// Whose model it is, by the model's name.

export type Vendor = "anthropic" | "google" | "openai";

const NAMES: readonly (readonly [name: RegExp, vendor: Vendor])[] = [
  [/^claude\b/, "anthropic"],
  [/^(?:gemini|gemma)\b/, "google"],
  [/^(?:gpt|chatgpt|codex|o\d)(?:\b|-)/, "openai"],
];

/** Undefined for a name that nobody's models have. A router's prefix (`anthropic/claude-…`) is looked past. */
export function vendorOf(model: string | undefined): Vendor | undefined {
  const name = (model ?? "").toLowerCase().replace(/^.*\//, "");
  return NAMES.find(([pattern]) => pattern.test(name))?.[1];
}
