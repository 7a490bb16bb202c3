// Whose badge: the label and the colour that a provider's sessions carry everywhere.
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
