#!/usr/bin/env node
// Says what Claude Code says when it writes a reply, as many pieces as BENCH_EVENTS asks for, each with the time at
// which it goes out, and tools in between; BENCH_PACE is how many milliseconds lie between two of them (0 = as fast as they are taken).
import { once } from "node:events";
import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";

const EVENTS = Number(process.env.BENCH_EVENTS ?? 1000);
const PACE = Number(process.env.BENCH_PACE ?? 0);
const SESSION = "11111111-1111-4111-8111-111111111111";

const say = async (message) => {
  const line = `${JSON.stringify({ ...message, session_id: SESSION })}\n`;
  if (!process.stdout.write(line)) await once(process.stdout, "drain");
};
const event = (inner) => say({ type: "stream_event", event: inner, parent_tool_use_id: null, uuid: "u" });

/** Each thousandth piece is followed by a call with its output, and by a line in the store, which is kept in step. */
async function call(at) {
  const id = `toolu_${at}`;
  const block = { type: "tool_use", id, name: "Bash", input: { command: "ls" } };
  const result = { type: "tool_result", tool_use_id: id, content: "a line of output\n".repeat(100) };
  const message = { id: `msg_${at}`, role: "assistant", model: "claude-opus-4-8", content: [block] };
  await say({ type: "assistant", message, parent_tool_use_id: null });
  await say({ type: "user", message: { role: "user", content: [result] }, parent_tool_use_id: null });
  if (!process.env.BENCH_FLOOR) store(at, message);
}

function store(at, message) {
  const folder = join(process.env.HOME, ".claude/projects/-bench");
  mkdirSync(folder, { recursive: true });
  const facts = {
    uuid: `u${at}`,
    parentUuid: at < 1000 ? null : `u${at - 1000}`,
    sessionId: SESSION,
    cwd: "/bench",
  };
  const timestamp = new Date().toISOString();
  const record = { type: "assistant", message, ...facts, timestamp };
  appendFileSync(join(folder, `${SESSION}.jsonl`), `${JSON.stringify(record)}\n`);
}

async function reply() {
  await say({ type: "system", subtype: "init", model: "claude-opus-4-8", tools: [], cwd: process.cwd() });
  await event({
    type: "message_start",
    message: { id: "msg_1", role: "assistant", model: "claude-opus-4-8", content: [] },
  });
  await event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (let at = 0; at < EVENTS; at++) {
    const text = `t${process.hrtime.bigint()} a few words\n`;
    await event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    if (at % 1000 === 999) await call(at);
    if (PACE > 0) await setTimeout(PACE);
  }
  await event({ type: "content_block_stop", index: 0 });
  await event({ type: "message_stop" });
  const usage = { input_tokens: 10, output_tokens: EVENTS };
  await say({
    type: "result",
    subtype: "success",
    is_error: false,
    result: "",
    usage,
    total_cost_usd: 0,
    num_turns: 1,
  });
}

// The floor has no prompt: it is told to begin at once.
if (process.env.BENCH_FLOOR) await reply();
else
  createInterface({ input: process.stdin })
    .on("line", async (line) => {
      const { type, request_id } = JSON.parse(line);
      if (type === "control_request")
        await say({ type: "control_response", response: { subtype: "success", request_id, response: {} } });
      else if (type === "user") await reply();
    })
    .on("close", () => process.exit(0));
