// Sessions of Gemini CLI 0.5x: messages as lines, written again when their calls are done.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { hex, pick, uuid, whole } from "./random.ts";
import { type LineFile, lineFile, type Scene } from "./scene.ts";
import { type Call, type Step, steps } from "./steps.ts";

const MODELS = ["gemini-2.5-pro", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-pro-preview"];

interface Reply {
  id: string;
  timestamp: string;
  type: "gemini";
  content: string;
  thoughts: object[];
  tokens: object;
  model: string;
  toolCalls?: object[];
}

interface Writer {
  scene: Scene;
  file: LineFile;
  model: string;
  reply: Reply | undefined;
}

export function writeGemini(scene: Scene): void {
  const { random, source, clock } = scene;
  const sessionId = uuid(random);
  const started = clock.tick();
  const folder = join(scene.home, ".gemini/tmp", source.name);
  const name = `session-${started.slice(0, 16).replaceAll(":", "-")}-${sessionId.slice(0, 8)}.jsonl`;
  const file = lineFile(join(folder, "chats", name));
  mark(folder, source.path);
  const projectHash = createHash("sha256").update(source.path).digest("hex");
  file.line({ sessionId, projectHash, startTime: started, lastUpdated: started, kind: "main" });
  const context = `<session_context>\nThis is the Gemini CLI. The project is ${source.path}.\n</session_context>`;
  const told = { id: hex(random, 32), timestamp: started, type: "user", content: [{ text: context }] };
  file.line({ $set: { messages: [told] } });
  const writer: Writer = { scene, file, model: pick(random, MODELS), reply: undefined };
  for (const step of steps(random, source, scene.bytes)) {
    if (file.bytes() >= scene.bytes) break;
    put(writer, step);
  }
  flush(writer);
  file.end(clock.now());
}

function mark(folder: string, project: string): void {
  const path = join(folder, ".project_root");
  if (existsSync(path)) return;
  const file = lineFile(path);
  file.text(project);
  file.end(Date.parse("2025-11-01T08:00:00Z"));
}

function put(writer: Writer, step: Step): void {
  const { random, clock } = writer.scene;
  switch (step.type) {
    case "prompt": {
      flush(writer);
      const image =
        step.image === undefined
          ? []
          : [{ inlineData: { mimeType: "image/png", data: `iVBORw0KGgo${step.image}` } }];
      const content = [{ text: step.text }, ...image];
      writer.file.line({ id: uuid(random), timestamp: clock.tick(), type: "user", content });
      touch(writer);
      return;
    }
    case "request":
      flush(writer);
      writer.reply = newReply(writer);
      return;
    case "thinking": {
      const thought = { subject: step.text.slice(0, 30), description: step.text, timestamp: clock.tick() };
      writer.reply?.thoughts.push(thought);
      return;
    }
    case "reply":
      if (writer.reply) writer.reply.content += step.text;
      return;
    case "call":
      call(writer, step);
      return;
  }
}

function newReply({ scene: { random, clock }, model }: Writer): Reply {
  const cached = whole(random, 2000, 60_000);
  const input = cached + whole(random, 200, 9000);
  const output = whole(random, 20, 1200);
  const tokens = { input, output, cached, thoughts: 0, tool: 0, total: input + output };
  return {
    id: uuid(random),
    timestamp: clock.tick(),
    type: "gemini",
    content: "",
    thoughts: [],
    tokens,
    model,
  };
}

function touch(writer: Writer): void {
  writer.file.line({ $set: { lastUpdated: new Date(writer.scene.clock.now()).toISOString() } });
}

function flush(writer: Writer): void {
  if (writer.reply === undefined) return;
  writer.file.line(writer.reply);
  touch(writer);
  writer.reply = undefined;
}

/** The message as it is without its call, then again with it, then the result as the next message. */
function call(writer: Writer, step: Call): void {
  const { reply, scene, file } = writer;
  if (reply === undefined) return;
  flush(writer);
  const { name, args } = native(step);
  const id = `${name}__${name}_${hex(scene.random, 12)}_0`;
  const response = step.isError ? { error: step.output } : { output: step.output };
  const result = [{ functionResponse: { id, name, response } }];
  const status = step.isError ? "error" : "success";
  const timestamp = scene.clock.tick();
  reply.toolCalls = [
    {
      id,
      name,
      args,
      result,
      status,
      timestamp,
      resultDisplay: step.output,
      displayName: name,
      description: name,
    },
  ];
  file.line(reply);
  file.line({ id: uuid(scene.random), timestamp: scene.clock.tick(), type: "user", content: result });
  touch(writer);
}

function native(step: Call): { name: string; args: object } {
  switch (step.tool) {
    case "read":
      return { name: "read_file", args: { file_path: step.path } };
    case "edit":
      return {
        name: "replace",
        args: { file_path: step.path, old_string: step.before, new_string: step.after },
      };
    case "write":
      return { name: "write_file", args: { file_path: step.path, content: step.content } };
    case "bash":
      return { name: "run_shell_command", args: { command: step.command, description: step.description } };
    case "search":
      return { name: "search_file_content", args: { pattern: step.pattern } };
  }
}
