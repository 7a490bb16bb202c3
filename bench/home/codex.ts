// Sessions of Codex 0.166: a line for each item and one more for its display.
import { join } from "node:path";
import { base64, hex, letters, pick, uuid, whole } from "./random.ts";
import { type LineFile, lineFile, type Scene } from "./scene.ts";
import { type Call, type Step, steps } from "./steps.ts";

const MODELS = ["gpt-5.5", "gpt-5.5", "gpt-5.1-codex", "gpt-5.1-codex-mini"];

interface Writer {
  scene: Scene;
  id: string;
  model: string;
  file: LineFile;
  ordinal: number;
  turn: string;
  used: { input: number; cached: number; output: number };
}

export function writeCodex(scene: Scene): void {
  const { random, source, clock } = scene;
  const id = `01${hex(random, 6)}-${hex(random, 4)}-7${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`;
  const started = clock.tick();
  const day = started.slice(0, 10).replaceAll("-", "/");
  const name = `rollout-${started.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`;
  const file = lineFile(join(scene.home, ".codex/sessions", day, name));
  const used = { input: 0, cached: 0, output: 0 };
  const writer: Writer = { scene, id, model: pick(random, MODELS), file, ordinal: 0, turn: "", used };
  line(writer, "session_meta", {
    id,
    timestamp: started,
    cwd: source.path,
    originator: "codex_cli",
    cli_version: "0.166.0",
    source: "cli",
    model_provider: "openai",
    history_mode: "paginated",
  });
  for (const step of steps(random, source, scene.bytes)) {
    if (file.bytes() >= scene.bytes) break;
    put(writer, step);
  }
  endTurn(writer);
  file.end(clock.now());
}

function line(writer: Writer, type: string, payload: object): void {
  writer.file.line({ timestamp: writer.scene.clock.tick(), ordinal: writer.ordinal++, type, payload });
}

const item = (writer: Writer, payload: object) => line(writer, "response_item", payload);

/** What the CLI keeps for its own display. */
function shown(writer: Writer, what: object): void {
  const at = writer.scene.clock.now();
  const { id: thread_id, turn: turn_id } = writer;
  const payload = {
    type: "item_completed",
    thread_id,
    turn_id,
    item: what,
    started_at_ms: at,
    completed_at_ms: at,
  };
  line(writer, "event_msg", payload);
}

function put(writer: Writer, step: Step): void {
  const { random } = writer.scene;
  const id = `msg_${hex(random, 24)}`;
  switch (step.type) {
    case "prompt":
      prompt(writer, step);
      return;
    case "request":
      usage(writer);
      return;
    case "thinking":
      shown(writer, { type: "Reasoning", id: `rs_${id}`, summary_text: [step.text], raw_content: [] });
      item(writer, {
        type: "reasoning",
        id: `rs_${id}`,
        summary: [{ type: "summary_text", text: step.text }],
        content: null,
        encrypted_content: `gAAAA${base64(random, whole(random, 600, 1400))}`,
      });
      return;
    case "reply":
      shown(writer, { type: "AgentMessage", id, content: [{ type: "Text", text: step.text }] });
      item(writer, {
        type: "message",
        id,
        role: "assistant",
        content: [{ type: "output_text", text: step.text }],
      });
      return;
    case "call":
      call(writer, step);
      return;
  }
}

function prompt(writer: Writer, step: Step & { type: "prompt" }): void {
  const { random, source } = writer.scene;
  if (writer.turn !== "") endTurn(writer);
  writer.turn = uuid(random);
  const { turn: turn_id, model } = writer;
  line(writer, "event_msg", { type: "task_started", turn_id, model_context_window: 258_400 });
  const policy = { approval_policy: "never", sandbox_policy: { type: "danger-full-access" } };
  line(writer, "turn_context", { turn_id, cwd: source.path, ...policy, model, summary: "none" });
  const image =
    step.image === undefined
      ? []
      : [{ type: "input_image", image_url: `data:image/png;base64,iVBORw0KGgo${step.image}` }];
  item(writer, {
    type: "message",
    role: "user",
    content: [{ type: "input_text", text: step.text }, ...image],
  });
  shown(writer, {
    type: "UserMessage",
    id: turn_id,
    content: [{ type: "text", text: step.text, text_elements: [] }],
  });
}

function endTurn(writer: Writer): void {
  line(writer, "event_msg", { type: "task_complete", turn_id: writer.turn, last_agent_message: null });
}

function usage(writer: Writer): void {
  const { random } = writer.scene;
  const cached = whole(random, 4000, 90_000);
  const last = { input: cached + whole(random, 200, 8000), cached, output: whole(random, 20, 1800) };
  writer.used.input += last.input;
  writer.used.cached += last.cached;
  writer.used.output += last.output;
  const rate_limits = { limit_id: "codex", primary: null, secondary: null, credits: null };
  const info = {
    total_token_usage: counts(writer.used),
    last_token_usage: counts(last),
    model_context_window: 258_400,
  };
  line(writer, "event_msg", { type: "token_count", info, rate_limits });
}

function counts({ input, cached, output }: Writer["used"]): object {
  return {
    input_tokens: input,
    cached_input_tokens: cached,
    output_tokens: output,
    reasoning_output_tokens: 0,
    total_tokens: input + output,
  };
}

function call(writer: Writer, step: Call): void {
  const call_id = `call_${letters(writer.scene.random, 24)}`;
  if (step.tool === "edit" || step.tool === "write") {
    patch(writer, step, call_id);
    return;
  }
  const cmd =
    step.tool === "read"
      ? `cat ${step.path}`
      : step.tool === "search"
        ? `rg -n ${step.pattern}`
        : step.command;
  item(writer, { type: "function_call", name: "exec_command", arguments: JSON.stringify({ cmd }), call_id });
  const exit_code = step.isError ? 1 : 0;
  shown(writer, {
    type: "CommandExecution",
    id: call_id,
    command: ["/bin/bash", "-lc", cmd],
    cwd: `file://${writer.scene.source.path}`,
    status: step.isError ? "failed" : "completed",
    aggregated_output: step.output,
    exit_code,
  });
  const head = `Chunk ID: ${hex(writer.scene.random, 6)}\nWall time: 0.1 seconds\nProcess exited with code ${exit_code}\nOutput:\n`;
  item(writer, { type: "function_call_output", call_id, output: head + step.output });
}

function patch(writer: Writer, step: Call & { tool: "edit" | "write" }, call_id: string): void {
  const marked = (text: string, mark: string) => mark + text.replaceAll("\n", `\n${mark}`);
  const body =
    step.tool === "write"
      ? `*** Add File: ${step.path}\n${marked(step.content, "+")}`
      : `*** Update File: ${step.path}\n@@\n${marked(step.before, "-")}\n${marked(step.after, "+")}`;
  const input = `*** Begin Patch\n${body}\n*** End Patch`;
  item(writer, { type: "custom_tool_call", status: "completed", call_id, name: "apply_patch", input });
  const change =
    step.tool === "write" ? { type: "add", content: step.content } : { type: "update", unified_diff: body };
  shown(writer, { type: "FileChange", id: call_id, changes: { [step.path]: change }, status: "completed" });
  const output = `Exit code: 0\nWall time: 0 seconds\nOutput:\nSuccess. Updated the following files:\nM ${step.path}\n`;
  item(writer, { type: "custom_tool_call_output", call_id, output });
}
