// The sessions as the SessionIndex document of other programs: one JSON object with an entry for each.
import { basename, dirname } from "node:path";
import type { SessionSummary } from "./scan.ts";

interface SessionIndex {
  version: "1.0";
  lastUpdated: string;
  sessions: SessionIndexEntry[];
}

interface SessionIndexEntry {
  sessionId: string;
  provider: string;
  model: string;
  modelDisplay: string;
  title: string;
  summary?: string;
  projectPath: string;
  messageCount: number;
  created: string;
  updated: string;
  filePath: string;
  fileSize: number;
  providerData?: { claudeProjectDir?: string; totalTokens?: number; totalCost?: number };
}

export function sessionIndex(sessions: readonly SessionSummary[], now = new Date()): SessionIndex {
  return { version: "1.0", lastUpdated: now.toISOString(), sessions: sessions.map(entryOf) };
}

function entryOf(session: SessionSummary): SessionIndexEntry {
  const { originalId, summary, project, path, size, tokens, cost } = session;
  const { provider, model, modelDisplay, title, messageCount, created, updated } = session;
  const providerData = {
    ...(provider === "claude" && { claudeProjectDir: basename(dirname(path)) }),
    ...(tokens && { totalTokens: tokens.input + tokens.output }),
    ...(cost !== null && { totalCost: cost }),
  };
  return {
    sessionId: originalId,
    provider,
    model,
    modelDisplay,
    title,
    ...(summary !== "" && { summary }),
    projectPath: project,
    messageCount,
    created,
    updated,
    filePath: path,
    fileSize: size,
    ...(Object.keys(providerData).length > 0 && { providerData }),
  };
}
