#!/usr/bin/env node
// Stands for Claude Code in tests of the command line: answers each prompt as the prompt itself says. "say X" is said,
// "run X" is a call that has to be allowed, "slow X" the same after a while, "both" are two of them at once, "until X" is
// one that is taken back once there is a file X, "wait" never ends, "flood" never stops talking, "fail" is refused by the
// vendor, "complain X" writes X to stderr, "mutter X" begins to talk and writes there what the file X says, once it is
// there and whenever it has changed, "count X" says how long X is, "later X" begins a turn of its own that says X,
// "leave" ends the agent once it has answered.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync, unwatchFile, watchFile } from "node:fs";
import { createInterface } from "node:readline";

const resumed = process.argv.indexOf("--resume");
const session_id = resumed === -1 ? "22222222-2222-4222-8222-222222222222" : process.argv[resumed + 1];
const MODEL = "claude-opus-4-8";
const asked = new Map();

const say = (message) =>
  process.stdout.write(`${JSON.stringify({ ...message, session_id, uuid: randomUUID() })}\n`);
const event = (inner) => say({ type: "stream_event", event: inner, parent_tool_use_id: null });
const usage = { input_tokens: 12, output_tokens: 3 };
const message = (content) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: MODEL,
  content,
  usage,
});

function text(words) {
  event({ type: "message_start", message: message([]) });
  event({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  for (const word of words.split(/(?<= )/))
    event({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text: word } });
  say({ type: "assistant", message: message([{ type: "text", text: words }]), parent_tool_use_id: null });
  event({ type: "content_block_stop", index: 0 });
  event({ type: "message_stop" });
}

function end(result, more = {}) {
  const facts = { duration_ms: 1, num_turns: 1, total_cost_usd: 0.01, usage, permission_denials: [] };
  say({ type: "result", subtype: "success", is_error: false, result, ...facts, ...more });
}

function call(command, at = 1) {
  const [id, request_id] = [`toolu_${at}`, `ask-${at}`];
  const input = { command, description: "a test" };
  const block = { type: "tool_use", id, name: "Bash", input };
  say({ type: "assistant", message: message([block]), parent_tool_use_id: null });
  asked.set(request_id, (allowed) => {
    const content = [
      {
        type: "tool_result",
        tool_use_id: id,
        content: allowed ? "it ran" : "not allowed",
        is_error: !allowed,
      },
    ];
    say({ type: "user", message: { role: "user", content }, parent_tool_use_id: null });
    asked.delete(request_id);
    if (asked.size > 0) return;
    text(allowed ? "It ran." : "It did not run.");
    end(allowed ? "It ran." : "It did not run.");
  });
  const request = {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input,
    tool_use_id: id,
    permission_suggestions: [],
  };
  say({ type: "control_request", request_id, request });
}

function callUntil(file) {
  call(`rm ${file}`);
  watchFile(file, { interval: 20 }, ({ mtimeMs }) => {
    // It is told too that there is none.
    if (mtimeMs === 0) return;
    unwatchFile(file);
    say({ type: "control_cancel_request", request_id: "ask-1" });
    asked.get("ask-1")(false);
  });
}

function mutter(file) {
  text("Waiting for ever. ");
  let last = "";
  setInterval(() => {
    const words = existsSync(file) ? readFileSync(file, "utf8") : "";
    if (words !== last && words.endsWith("\n")) process.stderr.write(words);
    last = words;
  }, 20);
}

function prompted(words) {
  say({
    type: "system",
    subtype: "init",
    cwd: process.cwd(),
    tools: ["Bash"],
    model: MODEL,
    permissionMode: "default",
  });
  const [verb, ...rest] = words.trim().split(" ");
  const what = rest.join(" ");
  if (verb === "run") call(what);
  else if (verb === "slow") setTimeout(() => call(what), 700);
  else if (verb === "both") for (const at of [1, 2]) call(`rm ${at}`, at);
  else if (verb === "until") callUntil(what);
  else if (verb === "wait") text("Waiting for ever. ");
  else if (verb === "mutter") mutter(what);
  else if (verb === "flood") setInterval(() => text("And so on. "), 20);
  else if (verb === "complain") {
    process.stderr.write(`${what}\n`);
    end("");
  } else if (verb === "count") {
    text(`${what.length} characters`);
    end("");
  } else if (verb === "later" || verb === "leave") {
    text("Yes.");
    end("Yes.");
    setTimeout(() => (verb === "leave" ? process.exit(3) : prompted(`say ${what}`)), 700);
  } else if (verb === "fail") {
    const failure =
      'API Error: 401 {"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}';
    end(failure, { is_error: true });
  } else {
    text(what);
    end(what);
  }
}

createInterface({ input: process.stdin })
  .on("line", (line) => {
    const { type, request_id, request, response, message: given } = JSON.parse(line);
    if (type === "control_request") {
      say({ type: "control_response", response: { subtype: "success", request_id, response: {} } });
      if (request.subtype === "interrupt")
        end("", { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" });
    } else if (type === "control_response")
      asked.get(response.request_id)?.(response.response?.behavior === "allow");
    else if (type === "user") {
      const { content } = given;
      prompted(typeof content === "string" ? content : content.map((block) => block.text).join(""));
    }
  })
  .on("close", () => process.exit(0));
