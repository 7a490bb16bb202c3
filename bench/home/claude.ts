// Sessions of Claude Code 2.1: a line for each block, outputs a second time in `toolUseResult`, long ones in files
// beside the session, subagents in files of their own.
import { join } from "node:path";
import { base64, hex, letters, pick, uuid, whole } from "./random.ts";
import { type LineFile, lineFile, type Scene } from "./scene.ts";
import { type Call, type Step, steps } from "./steps.ts";

const MODELS = [
  "claude-opus-5-5",
  "claude-opus-5-5",
  "claude-sonnet-4-5-20250929",
  "claude-haiku-4-5-20251001",
];
/** Outputs above it are kept in files of their own. */
const LONGEST = 30_000;

interface Writer {
  scene: Scene;
  session: string;
  folder: string;
  file: LineFile;
  agent: string | undefined;
  model: string;
  parent: string | null;
  message: string;
  usage: object;
}

export function writeClaude(scene: Scene): void {
  const { random, source, home } = scene;
  const session = uuid(random);
  const folder = join(home, ".claude/projects", source.path.replace(/[^A-Za-z0-9]/g, "-"));
  const writer = newWriter(scene, session, folder, join(folder, `${session}.jsonl`));
  const agents = random() < 0.12 && scene.bytes > 30_000 ? whole(random, 1, 3) : 0;
  const ownBytes = agents > 0 ? scene.bytes * 0.7 : scene.bytes;
  context(writer);
  for (let number = 0; number < agents; number++) delegate(writer, (scene.bytes * 0.3) / agents);
  for (const step of steps(random, source, scene.bytes)) {
    if (writer.file.bytes() >= ownBytes) break;
    put(writer, step);
  }
  writer.file.line({ type: "last-prompt", lastPrompt: "…", leafUuid: writer.parent, sessionId: session });
  writer.file.end(scene.clock.now());
}

function newWriter(scene: Scene, session: string, folder: string, path: string, agent?: string): Writer {
  const model = pick(scene.random, MODELS);
  const file = lineFile(path);
  return { scene, session, folder, file, agent, model, parent: null, message: "", usage: {} };
}

function line(writer: Writer, type: string, fields: object): void {
  const { scene, session, agent } = writer;
  const id = uuid(scene.random);
  writer.file.line({
    parentUuid: writer.parent,
    isSidechain: agent !== undefined,
    ...(agent !== undefined && { agentId: agent }),
    type,
    ...fields,
    uuid: id,
    timestamp: scene.clock.tick(),
    userType: "external",
    entrypoint: "cli",
    cwd: scene.source.path,
    sessionId: session,
    version: "2.1.325",
    gitBranch: "main",
  });
  writer.parent = id;
}

const SKILLS =
  "dataviz update-config keybindings-help code-review simplify loop claude-api run init security-review";

function context(writer: Writer): void {
  const workingDirectory = writer.scene.source.path;
  const snapshot = { workingDirectory, isWorktree: false, isGitRepo: true, platform: "linux", shell: "bash" };
  const reminder = (content: string) => [{ content: `<system-reminder>\n${content}\n</system-reminder>` }];
  line(writer, "attachment", {
    attachment: { type: "environment", snapshot },
    rendered: reminder(`# Environment\nYou have been invoked in ${workingDirectory}`),
    renderedRole: "system",
  });
  line(writer, "attachment", {
    attachment: { type: "skill_listing", content: SKILLS, skillCount: 10, names: SKILLS.split(" ") },
    rendered: reminder(`The following skills are available for use with the Skill tool: ${SKILLS}`),
    renderedRole: "system",
  });
}

function put(writer: Writer, step: Step): void {
  switch (step.type) {
    case "prompt":
      line(writer, "user", { message: { role: "user", content: promptContent(step) } });
      return;
    case "request":
      request(writer);
      return;
    case "thinking": {
      const signature = base64(writer.scene.random, whole(writer.scene.random, 300, 900));
      block(writer, { type: "thinking", thinking: step.text, signature });
      return;
    }
    case "reply":
      block(writer, { type: "text", text: step.text });
      return;
    case "call":
      callAndResult(writer, step);
      return;
  }
}

function promptContent(step: Step & { type: "prompt" }): string | object[] {
  if (step.image === undefined) return step.text;
  const source = { type: "base64", media_type: "image/png", data: `iVBORw0KGgo${step.image}` };
  return [
    { type: "text", text: step.text },
    { type: "image", source },
  ];
}

function request(writer: Writer): void {
  const { random } = writer.scene;
  writer.message = `msg_01${letters(random, 22)}`;
  const written = whole(random, 100, 6000);
  writer.usage = {
    input_tokens: whole(random, 3, 400),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: whole(random, 10_000, 150_000),
    output_tokens: whole(random, 20, 1500),
    server_tool_use: { web_search_requests: 0, web_fetch_requests: 0 },
    service_tier: "standard",
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: written },
  };
}

function block(writer: Writer, content: object): void {
  const { message: id, model, usage } = writer;
  const message = { id, type: "message", role: "assistant", model, content: [content] };
  line(writer, "assistant", {
    message: { ...message, stop_reason: null, stop_sequence: null, usage },
    requestId: `req_011${letters(writer.scene.random, 21)}`,
  });
}

function callAndResult(writer: Writer, call: Call): void {
  const id = `toolu_01${letters(writer.scene.random, 22)}`;
  const { name, input } = native(call);
  block(writer, { type: "tool_use", id, name, input });
  const isLong = call.tool === "bash" && call.output.length > LONGEST;
  const content = isLong ? persist(writer, call.output) : call.output;
  line(writer, "user", {
    message: {
      role: "user",
      content: [{ tool_use_id: id, type: "tool_result", content, ...(call.isError && { is_error: true }) }],
    },
    toolUseResult: call.isError ? `Error: ${content}` : shown(call, isLong ? content : call.output),
  });
}

function native(call: Call): { name: string; input: object } {
  switch (call.tool) {
    case "read":
      return { name: "Read", input: { file_path: call.path } };
    case "edit":
      return {
        name: "Edit",
        input: { file_path: call.path, old_string: call.before, new_string: call.after },
      };
    case "write":
      return { name: "Write", input: { file_path: call.path, content: call.content } };
    case "bash":
      return { name: "Bash", input: { command: call.command, description: call.description } };
    case "search":
      return { name: "Grep", input: { pattern: call.pattern, output_mode: "content", "-n": true } };
  }
}

/** What the CLI keeps for its own display. */
function shown(call: Call, output: string): object {
  switch (call.tool) {
    case "read":
      return {
        type: "text",
        file: { filePath: call.path, content: output, numLines: 40, startLine: 1, totalLines: 40 },
      };
    case "edit": {
      const { path: filePath, before: oldString, after: newString } = call;
      return { filePath, oldString, newString, originalFile: null, userModified: false, replaceAll: false };
    }
    case "write":
      return { type: "create", filePath: call.path, content: call.content, structuredPatch: [] };
    case "bash":
      return { stdout: output, stderr: "", interrupted: false, isImage: false };
    case "search":
      return { mode: "content", numFiles: 0, filenames: [], content: output, numLines: 12 };
  }
}

function persist(writer: Writer, output: string): string {
  const { scene, folder, session } = writer;
  const path = join(folder, session, "tool-results", `b${hex(scene.random, 8)}.txt`);
  // Wherever the corpus lies, its bytes are the same.
  const named = path.replace(scene.home, "/home/dev");
  const file = lineFile(path);
  file.text(output);
  file.end(scene.clock.now());
  const size = (output.length / 1024).toFixed(1);
  return `<persisted-output>\nOutput too large (${size}KB). Full output saved to: ${named}\n\nPreview (first 2KB):\n${output.slice(0, 2000)}\n...\n</persisted-output>`;
}

function delegate(writer: Writer, bytes: number): void {
  const { scene, session, folder } = writer;
  const { random, source } = scene;
  const agentId = hex(random, 17);
  request(writer);
  const id = `toolu_01${letters(random, 22)}`;
  const [first] = steps(random, source, bytes);
  const prompt = first?.type === "prompt" ? first.text : "";
  const input = { description: prompt.slice(0, 20), prompt, subagent_type: "general-purpose" };
  block(writer, { type: "tool_use", id, name: "Agent", input });
  const path = join(folder, session, "subagents", `agent-${agentId}.jsonl`);
  const child = newWriter(scene, session, folder, path, agentId);
  const answer = subagent(child, prompt, bytes);
  const meta = lineFile(path.replace(/jsonl$/, "meta.json"));
  meta.text(JSON.stringify({ agentType: "general-purpose", description: input.description, toolUseId: id }));
  meta.end(scene.clock.now());
  line(writer, "user", {
    message: {
      role: "user",
      content: [{ tool_use_id: id, type: "tool_result", content: [{ type: "text", text: answer }] }],
    },
    toolUseResult: {
      status: "completed",
      prompt,
      agentId,
      content: [{ type: "text", text: answer }],
      totalTokens: 9000,
    },
  });
}

function subagent(child: Writer, prompt: string, bytes: number): string {
  const { random, source, clock } = child.scene;
  let answer = "";
  put(child, { type: "prompt", text: prompt });
  for (const step of steps(random, source, bytes)) {
    if (step.type === "prompt") {
      if (child.file.bytes() >= bytes) break;
      continue;
    }
    put(child, step);
    if (step.type === "reply") answer = step.text;
  }
  child.file.end(clock.now());
  return answer;
}
