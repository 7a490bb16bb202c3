// How much vendors let through in a minute: round numbers to plan with. An account's own limits are on its vendor's page.

export interface RateLimit {
  /** As on badges; `azure` serves OpenAI's models. */
  provider: string;
  tier?: string;
  /** Null = it differs from account to account. */
  requestsPerMinute: number | null;
  tokensPerMinute: number | null;
  /** What to do when it is reached. */
  strategy: string;
}

export const RATE_LIMITS_SOURCE = "the vendors' pages, rounded; accounts differ";

export const RATE_LIMITS: readonly RateLimit[] = [
  {
    provider: "claude",
    requestsPerMinute: 60,
    tokensPerMinute: 100_000,
    strategy: "wait as long as retry-after says, then twice as long each time",
  },
  {
    provider: "gemini",
    requestsPerMinute: 60,
    tokensPerMinute: 1_000_000,
    strategy: "wait as long as retryDelay of the error says, then twice as long each time",
  },
  {
    provider: "openai",
    tier: "Tier 1",
    requestsPerMinute: 500,
    tokensPerMinute: 30_000,
    strategy: "wait until x-ratelimit-reset-tokens, send less history",
  },
  {
    provider: "openai",
    tier: "Tier 4+",
    requestsPerMinute: 10_000,
    tokensPerMinute: 800_000,
    strategy: "wait until x-ratelimit-reset-requests",
  },
  {
    provider: "azure",
    requestsPerMinute: null,
    tokensPerMinute: null,
    strategy: "wait as long as retry-after-ms says; the deployment's quota decides",
  },
];

/** None for a provider that is not known. */
export function rateLimitsOf(provider: string): readonly RateLimit[] {
  return RATE_LIMITS.filter((limit) => limit.provider === provider);
}
