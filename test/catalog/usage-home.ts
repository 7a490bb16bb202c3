// A private home with native files, and what `usage` makes of it: files → sync → sums.
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Home } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import { type Catalog, openCatalog } from "../../src/catalog/catalog.ts";
import { listSessions, type Query } from "../../src/catalog/query.ts";
import type { SessionSummary } from "../../src/catalog/scan.ts";
import { sync } from "../../src/catalog/sync.ts";
import { keptCosts } from "../../src/catalog/usage/kept-costs.ts";
import { sessionCosts } from "../../src/catalog/usage/session-costs.ts";
import { type UsageQuery, type UsageReport, usageOf } from "../../src/catalog/usage/usage.ts";
import { readOverrides } from "../../src/models/overrides.ts";
import { type FindPrice, loadPrices, priceStamp } from "../../src/models/prices.ts";
import type { RowLine } from "../../src/storage/rows.ts";
import { newDatabase } from "../adapters/opencode/database.ts";

export interface UsageHome extends Home {
  write(path: string, lines: readonly object[]): string;
  append(path: string, lines: readonly object[]): void;
  /** OpenCode's database. */
  database(lines: readonly RowLine[]): void;
  usage(query?: Partial<UsageQuery>): Promise<UsageReport>;
  /** With what each session cost. */
  list(query?: Query): Promise<SessionSummary[]>;
}

export function newHome(): UsageHome {
  const dir = mkdtempSync(join(tmpdir(), "baton-usage-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const home: Home = { dir, env: {}, projects: [join(dir, "project")] };
  const synced = async <T>(use: (catalog: Catalog, prices: FindPrice) => T | Promise<T>): Promise<T> => {
    const catalog = openCatalog(join(dir, ".baton"));
    try {
      await sync(catalog, home, adapters, { words: false });
      return await use(catalog, await loadPrices(readOverrides(join(dir, ".baton"))));
    } finally {
      catalog.close();
    }
  };
  const text = (lines: readonly object[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  return {
    ...home,
    write(path, lines) {
      const whole = join(dir, path);
      mkdirSync(dirname(whole), { recursive: true });
      writeFileSync(whole, path.endsWith(".json") ? JSON.stringify(lines[0]) : text(lines));
      return whole;
    },
    append: (path, lines) => appendFileSync(join(dir, path), text(lines)),
    database: (lines) => void newDatabase(join(dir, ".local", "share", "opencode", "opencode.db"), lines),
    usage: (query = {}) => synced(({ shards }, prices) => usageOf(shards, { by: "model", ...query }, prices)),
    list: (query = {}) =>
      synced(async (catalog, prices) => {
        const about = priceStamp(readOverrides(join(dir, ".baton")));
        const costs = await keptCosts(catalog, about, async () => sessionCosts(catalog.shards, prices));
        return listSessions(catalog, query, { costs }).sessions;
      }),
  };
}

const DAY = "2026-03-02";
/** Seconds after noon, UTC. */
export const at = (seconds: number) =>
  new Date(Date.parse(`${DAY}T12:00:00.000Z`) + seconds * 1000).toISOString();

export const uuid = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;

/** Where Claude Code keeps a session of /home/me/app. */
export const claudePath = (session: number) => `.claude/projects/-home-me-app/${uuid(session)}.jsonl`;

interface ClaudeLine {
  session: number;
  number: number;
  seconds: number;
  message?: string;
  usage?: object;
  [field: string]: unknown;
}

/** A line of one block of a reply. */
export function reply({ session, number, seconds, message, usage, ...rest }: ClaudeLine) {
  return {
    type: "assistant",
    uuid: uuid(1000 + number),
    parentUuid: number === 1 ? null : uuid(1000 + number - 1),
    timestamp: at(seconds),
    sessionId: uuid(session),
    cwd: "/home/me/app",
    message: {
      id: message ?? `msg_${number}`,
      role: "assistant",
      model: "claude-opus-4-5-20251101",
      content: [{ type: "text", text: `Reply ${number}` }],
      usage: usage ?? { input_tokens: 1000, output_tokens: 100 },
    },
    ...rest,
  };
}

export const prompt = (session: number, number: number, seconds: number) => ({
  type: "user",
  uuid: uuid(1000 + number),
  parentUuid: number === 1 ? null : uuid(1000 + number - 1),
  timestamp: at(seconds),
  sessionId: uuid(session),
  cwd: "/home/me/app",
  message: { role: "user", content: `Prompt ${number}` },
});

export const codexPath = (session: number) =>
  `.codex/sessions/2026/03/02/rollout-2026-03-02T12-00-0${session}-${uuid(session)}.jsonl`;

/** Lines of a rollout, each at its time. */
export const codex = (seconds: number, type: string, payload: object) => ({
  timestamp: at(seconds),
  type,
  payload,
});

export const codexMeta = (session: number, more: object = {}) => ({
  id: uuid(session),
  timestamp: at(0),
  cwd: "/home/me/app",
  originator: "codex_cli_rs",
  cli_version: "0.60.0",
  ...more,
});

export const said = (text: string) => ({
  type: "message",
  role: "assistant",
  content: [{ type: "output_text", text }],
});

/** A count event: the running total and the newest response. */
export function counted(total: number, last: Partial<CodexTokens> = {}) {
  return {
    type: "token_count",
    info: {
      total_token_usage: tokens({ total_tokens: total }),
      last_token_usage: tokens(last),
      model_context_window: 258400,
    },
  };
}

interface CodexTokens {
  input_tokens: number;
  cached_input_tokens: number;
  output_tokens: number;
  reasoning_output_tokens: number;
  total_tokens: number;
}

export const tokens = (given: Partial<CodexTokens>): CodexTokens => ({
  input_tokens: 1000,
  cached_input_tokens: 600,
  output_tokens: 100,
  reasoning_output_tokens: 40,
  total_tokens: 1100,
  ...given,
});
