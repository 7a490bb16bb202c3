// Sessions for tests of what is drawn and filtered.
import type { SessionSummary } from "../../../src/catalog/scan.ts";

export function session(number: number, changes: Partial<SessionSummary> = {}): SessionSummary {
  const time = new Date(Date.UTC(2026, 0, 2) - number * 60_000).toISOString();
  return {
    id: `id${String(number).padStart(10, "0")}`,
    agent: number % 2 === 0 ? "claude" : "codex",
    originalId: `original-${number}`,
    provider: number % 2 === 0 ? "anthropic" : "openai",
    title: `Session number ${number}`,
    summary: "",
    project: `/home/me/project-${number % 10}`,
    model: number % 2 === 0 ? "claude-opus-4-5" : "gpt-5.5",
    modelDisplay: number % 2 === 0 ? "Opus 4.5" : "GPT-5.5",
    messageCount: number,
    created: time,
    updated: time,
    path: `/store/${number}.jsonl`,
    size: 1000,
    tokens: null,
    cost: null,
    costKind: null,
    problems: [],
    ...changes,
  };
}

export function sessions(count: number): SessionSummary[] {
  return Array.from({ length: count }, (_, number) => session(number));
}
