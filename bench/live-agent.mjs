#!/usr/bin/env node
// Says what Claude Code says when it writes a reply, as many pieces as BENCH_EVENTS asks for, each with the time at
// which it goes out; BENCH_PACE is how many milliseconds lie between two of them (0 = as fast as they are taken).
import { once } from "node:events";
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
