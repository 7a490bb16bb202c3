// Whose badge: the label and the colour that a provider's sessions carry everywhere.
import { BatonError } from "../session/error.ts";
import { badgeOf } from "../session/vendor.ts";

export interface Badge {
  provider: string;
  label: string;
  color: string;
}

export const BADGES: readonly Badge[] = [
  { provider: "claude", label: "Claude", color: "#D97757" },
  { provider: "gemini", label: "Gemini", color: "#4285F4" },
  { provider: "openai", label: "OpenAI", color: "#10A37F" },
];

/** Of an agent, a vendor or a provider; a stranger's is grey and says its name. */
export function badgeFor(name: string): Badge {
  const provider = badgeOf(name);
  return BADGES.find((badge) => badge.provider === provider) ?? { provider, label: provider, color: "#666" };
}

/** The badge that an agent's, a vendor's or a provider's name stands for, of ours or of these others. */
export function providerNamed(name: string, others: readonly string[]): string {
  const provider = badgeOf(name);
  const known = [...new Set([...BADGES.map((badge) => badge.provider), ...others.map(badgeOf)])];
  if (known.includes(provider)) return provider;
  throw new BatonError(
    "usage",
    `There is no provider called "${name}".`,
    `Known providers: ${known.toSorted().join(", ")}.`,
  );
}
