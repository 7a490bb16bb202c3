// The display items beside calls: what Codex's own view shows for a tool run. They are not sent to the model.
import { pathToFileURL } from "node:url";
import type { ToolResult } from "../../session/session.ts";
import { parsePatch } from "../patch.ts";
import { hunksOf } from "./edits.ts";
import { isObject, type JsonObject, text } from "./native.ts";

export interface ShownCall {
  callId: string;
  name: string;
  namespace?: string | undefined;
  input: unknown;
  result: ToolResult | undefined;
  cwd: string;
  /** The thread that makes the call, and the one it spawned. */
  thread: string;
  agent?: string | undefined;
}

/** The view cuts long outputs anyway; the whole text stands in the output itself. */
const LONGEST = 1000;

export function shownCall(call: ShownCall): JsonObject {
  const { name, namespace } = call;
  if (name === "exec_command" && isObject(call.input)) return command(call, call.input);
  if (name === "apply_patch" && typeof call.input === "string") return fileChange(call, call.input);
  if (name === "view_image" && isObject(call.input)) return imageView(call, call.input);
  if (name === "spawn_agent" && call.agent !== undefined) return spawn(call, call.agent);
  if (namespace?.startsWith("mcp__")) return mcpCall(call, namespace.slice("mcp__".length));
  return {
    type: "DynamicToolCall",
    id: call.callId,
    ...(namespace !== undefined && { namespace }),
    tool: name,
    arguments: shortened(call.input),
    status: statusOf(call.result),
    content_items: [{ type: "inputText", text: outputOf(call.result) }],
    success: call.result?.success ?? false,
  };
}

function statusOf(result: ToolResult | undefined): "completed" | "failed" {
  return result?.success === false ? "failed" : "completed";
}

function outputOf(result: ToolResult | undefined): string {
  const output = result?.output ?? "";
  return output.length > LONGEST ? `${output.slice(0, LONGEST)}\n…` : output;
}

function command(call: ShownCall, input: JsonObject): JsonObject {
  const script = text(input.cmd) ?? "";
  const exitCode = call.result?.details?.exitCode;
  const known = typeof exitCode === "number" ? exitCode : call.result?.success === false ? undefined : 0;
  return {
    type: "CommandExecution",
    id: call.callId,
    command: ["/bin/bash", "-lc", script],
    cwd: folderUrl(text(input.workdir) ?? call.cwd),
    parsed_cmd: [{ type: "unknown", cmd: script }],
    source: "unified_exec_startup",
    status: statusOf(call.result),
    aggregated_output: outputOf(call.result),
    ...(known !== undefined && { exit_code: known }),
    duration: { secs: 0, nanos: 0 },
  };
}

/** Nearly all commands run in the same folder. */
let lastFolder = { path: "", url: "" };

function folderUrl(path: string): string {
  if (lastFolder.path !== path) lastFolder = { path, url: urlOf(path) };
  return lastFolder.url;
}

/** Paths of another system cannot be resolved here and are shown as they are. */
function urlOf(path: string): string {
  return path.startsWith("/") ? pathToFileURL(path).href : `file:///${path.replaceAll("\\", "/")}`;
}

function absolute(path: string, cwd: string): string {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) ? path : `${cwd.replace(/\/$/, "")}/${path}`;
}

function imageView(call: ShownCall, input: JsonObject): JsonObject {
  return { type: "ImageView", id: call.callId, path: urlOf(absolute(text(input.path) ?? "", call.cwd)) };
}

export const AGENT_ITEM = "CollabAgentToolCall";

function spawn({ callId, input, thread, result }: ShownCall, agent: string): JsonObject {
  const prompt = isObject(input) ? (text(input.message) ?? "") : "";
  return agentItem({ id: callId, thread, agent, prompt, status: statusOf(result) });
}

/** How the id of an item begins that names a subagent which no call spawned. */
const UNCALLED = "agent-";

/** The call that an item stands beside. */
export function callNamed(item: string): string | undefined {
  return item.startsWith(UNCALLED) ? undefined : item;
}

export function shownAgent(thread: string, agent: string): JsonObject {
  return agentItem({ id: `${UNCALLED}${agent}`, thread, agent, prompt: "", status: "completed" });
}

interface Spawned {
  id: string;
  thread: string;
  agent: string;
  prompt: string;
  status: string;
}

function agentItem({ id, thread, agent, prompt, status }: Spawned): JsonObject {
  return {
    type: AGENT_ITEM,
    id,
    tool: "spawn_agent",
    status,
    sender_thread_id: thread,
    receiver_thread_ids: [agent],
    receiver_agents: [],
    prompt,
    agents_states: {},
  };
}

function mcpCall(call: ShownCall, server: string): JsonObject {
  return {
    type: "McpToolCall",
    id: call.callId,
    server,
    tool: call.name,
    arguments: shortened(call.input),
    status: statusOf(call.result),
    result: {
      content: [{ type: "text", text: outputOf(call.result) }],
      isError: call.result?.success === false,
    },
  };
}

function fileChange(call: ShownCall, patch: string): JsonObject {
  const changes: JsonObject = {};
  for (const change of parsePatch(patch) ?? []) {
    const path = absolute(change.path, call.cwd);
    if (change.kind === "add") changes[path] = { type: "add", content: change.content ?? "" };
    else if (change.kind === "delete") changes[path] = { type: "delete", content: "" };
    else {
      const unified_diff = numbered(hunksOf(call.result?.details?.patch) ?? change.diff ?? "");
      const move_path = change.to === undefined ? null : absolute(change.to, call.cwd);
      changes[path] = { type: "update", unified_diff, move_path };
    }
  }
  return {
    type: "FileChange",
    id: call.callId,
    changes,
    status: statusOf(call.result),
    stdout: outputOf(call.result),
    stderr: "",
  };
}

/** The view wants line numbers; where none are recorded, a hunk is shown from the first line on. */
function numbered(diff: string): string {
  if (diff === "" || /^@@ -\d/.test(diff)) return diff;
  const body = diff.split("\n").filter((line) => !line.startsWith("@@") && !line.startsWith("***"));
  const count = (sign: string) => body.filter((line) => !line.startsWith(sign)).length;
  return [`@@ -1,${count("+")} +1,${count("-")} @@`, ...body, ""].join("\n");
}

function shortened(input: unknown): unknown {
  if (typeof input === "string") return { input: input.slice(0, LONGEST) };
  const size = JSON.stringify(input)?.length ?? 0;
  return size <= LONGEST ? (input ?? {}) : { shortened: JSON.stringify(input).slice(0, LONGEST) };
}

/** A piece of a prompt as the view shows it. */
export function shownContent(item: JsonObject): JsonObject {
  return item.type === "input_image"
    ? { type: "image", image_url: item.image_url }
    : textItem(String(item.text ?? ""));
}

export function textItem(text: string): JsonObject {
  return { type: "text", text, text_elements: [] };
}
