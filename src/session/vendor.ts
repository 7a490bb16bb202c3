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

/** What the badge of an agent's or a vendor's sessions says, where it is not its own name. */
const BADGES: Readonly<Record<string, string>> = {
  codex: "openai",
  anthropic: "claude",
  google: "gemini",
};

export function badgeOf(name: string): string {
  return BADGES[name] ?? name;
}
