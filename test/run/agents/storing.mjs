#!/usr/bin/env node
// Stands for Claude Code that writes its session down: a turn of a session that is there when it starts.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const sessionId = "22222222-2222-4222-8222-222222222222";
const folder = join(process.env.HOME, ".claude/projects/-p");
const line = (uuid, parentUuid, type, text) => {
  const message = {
    role: type,
    content: [{ type: "text", text }],
    ...(type === "assistant" && { id: "m1" }),
  };
  const facts = { uuid, parentUuid, sessionId, cwd: "/p", timestamp: "2026-01-02T03:04:05.000Z" };
  return `${JSON.stringify({ type, message, ...facts })}\n`;
};
mkdirSync(folder, { recursive: true });
writeFileSync(
  join(folder, `${sessionId}.jsonl`),
  line("u1", null, "user", "Do it") + line("u2", "u1", "assistant", "Done"),
);
await import("./claude.mjs");
