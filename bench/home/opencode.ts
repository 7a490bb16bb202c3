// Sessions of OpenCode 1.18: rows of one database for all, in the tables that the CLI makes.
import { mkdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { base64, hex, letters, pick, whole } from "./random.ts";
import type { Scene } from "./scene.ts";
import { type Call, type Step, steps } from "./steps.ts";

const SCHEMA = join(import.meta.dirname, "../../test/adapters/opencode/schema-1.18.33.sql");
const MODELS = ["claude-sonnet-4-5", "gpt-5.5", "gemini-2.5-pro", "claude-opus-5-5"];
const PROVIDERS: Record<string, string> = { "gpt-5.5": "openai", "gemini-2.5-pro": "google" };

export interface OpenCodeStore {
  write(scene: Scene): void;
  close(): void;
}

export function openCodeStore(home: string): OpenCodeStore {
  const path = join(home, ".local/share/opencode/opencode.db");
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA wal_autocheckpoint = 100000; BEGIN",
  );
  database.exec(readFileSync(SCHEMA, "utf8"));
  const insert = statements(database);
  const projects = new Set<string>();
  let newest = 0;
  return {
    write(scene) {
      const id = createProject(insert.project, projects, scene);
      newest = Math.max(newest, writeSession(insert, scene, id));
    },
    close() {
      database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)");
      database.close();
      for (const end of ["-wal", "-shm"]) rmSync(path + end, { force: true });
      utimesSync(path, newest / 1000, newest / 1000);
    },
  };
}

interface Statements {
  project: StatementSync;
  session: StatementSync;
  message: StatementSync;
  part: StatementSync;
}

function statements(database: DatabaseSync): Statements {
  const into = (table: string, columns: string) =>
    database.prepare(
      `INSERT INTO ${table} (${columns}) VALUES (${columns
        .split(",")
        .map(() => "?")
        .join()})`,
    );
  return {
    project: into("project", "id,worktree,vcs,time_created,time_updated,sandboxes"),
    session: into(
      "session",
      "id,project_id,parent_id,slug,directory,title,version,cost,tokens_input,tokens_output,tokens_cache_read,agent,model,time_created,time_updated",
    ),
    message: into("message", "id,session_id,time_created,time_updated,data"),
    part: into("part", "id,message_id,session_id,time_created,time_updated,data"),
  };
}

function createProject(insert: StatementSync, known: Set<string>, { source, clock }: Scene): string {
  const id = Buffer.from(source.path).toString("hex").padEnd(40, "0").slice(-40);
  if (!known.has(id)) insert.run(id, source.path, "git", clock.now(), clock.now(), "[]");
  known.add(id);
  return id;
}

interface Writer {
  insert: Statements;
  scene: Scene;
  session: string;
  model: { providerID: string; modelID: string };
  count: number;
  bytes: number;
  prompt: string;
  message: string;
  totals: { input: number; output: number; read: number; cost: number };
}

function writeSession(insert: Statements, scene: Scene, project: string): number {
  const { random, source, clock } = scene;
  const started = Date.parse(clock.tick());
  const session = `ses_${(0xffffffffffffn - BigInt(started)).toString(16).slice(-12)}${letters(random, 14)}`;
  const modelID = pick(random, MODELS);
  const model = { providerID: PROVIDERS[modelID] ?? "anthropic", modelID };
  const totals = { input: 0, output: 0, read: 0, cost: 0 };
  const writer: Writer = {
    insert,
    scene,
    session,
    model,
    count: 0,
    bytes: 0,
    prompt: "",
    message: "",
    totals,
  };
  let title = "";
  for (const step of steps(random, source, scene.bytes)) {
    if (writer.bytes >= scene.bytes) break;
    if (title === "" && step.type === "prompt") title = step.text.slice(0, 50);
    put(writer, step);
  }
  const named = JSON.stringify({ id: modelID, providerID: model.providerID });
  insert.session.run(
    session,
    project,
    null,
    "misty-cactus",
    source.path,
    title,
    "1.18.33",
    totals.cost,
    totals.input,
    totals.output,
    totals.read,
    "build",
    named,
    started,
    clock.now(),
  );
  return clock.now();
}

/** Ids rise with the order in which rows are made. */
function newId(writer: Writer, prefix: string): string {
  const time = BigInt(writer.scene.clock.now()) * 0x1000n + BigInt(writer.count++);
  return `${prefix}_${(time & 0xffffffffffffn).toString(16).padStart(12, "0")}${letters(writer.scene.random, 14)}`;
}

function message(writer: Writer, fields: object): string {
  const id = newId(writer, "msg");
  const time = Date.parse(writer.scene.clock.tick());
  const data = JSON.stringify(fields);
  writer.bytes += data.length + 100;
  writer.insert.message.run(id, writer.session, time, time, data);
  return id;
}

function part(writer: Writer, owner: string, fields: object): void {
  const time = writer.scene.clock.now();
  const data = JSON.stringify(fields);
  writer.bytes += data.length + 150;
  writer.insert.part.run(newId(writer, "prt"), owner, writer.session, time, time, data);
}

function put(writer: Writer, step: Step): void {
  const { random, clock } = writer.scene;
  const time = { start: clock.now(), end: clock.now() + 400 };
  switch (step.type) {
    case "prompt": {
      const fields = { role: "user", time: { created: clock.now() }, agent: "build", model: writer.model };
      writer.prompt = message(writer, fields);
      part(writer, writer.prompt, { type: "text", text: step.text });
      const url = `data:image/png;base64,iVBORw0KGgo${step.image}`;
      if (step.image)
        part(writer, writer.prompt, { type: "file", mime: "image/png", filename: "a.png", url });
      return;
    }
    case "request":
      request(writer);
      return;
    case "thinking": {
      const metadata = { anthropic: { signature: base64(random, whole(random, 300, 900)) } };
      part(writer, writer.message, { type: "reasoning", text: step.text, time, metadata });
      return;
    }
    case "reply":
      part(writer, writer.message, { type: "text", text: step.text, time });
      return;
    case "call":
      call(writer, step, time);
      return;
  }
}

function request(writer: Writer): void {
  const { scene, totals, model, prompt: parentID } = writer;
  const { random, source, clock } = scene;
  const read = whole(random, 3000, 90_000);
  const tokens = {
    input: whole(random, 20, 9000),
    output: whole(random, 20, 1500),
    reasoning: 0,
    cache: { read, write: 0 },
  };
  const cost = (tokens.input * 3 + tokens.output * 15 + read * 0.3) / 1e6;
  totals.input += tokens.input;
  totals.output += tokens.output;
  totals.read += read;
  totals.cost += cost;
  const time = { created: clock.now(), completed: clock.now() + 900 };
  const path = { cwd: source.path, root: source.path };
  const base = {
    parentID,
    role: "assistant",
    mode: "build",
    agent: "build",
    path,
    cost,
    tokens,
    ...model,
    time,
  };
  writer.message = message(writer, { ...base, finish: "stop" });
  part(writer, writer.message, { type: "step-start" });
  part(writer, writer.message, { type: "step-finish", reason: "stop", tokens, cost });
}

function call(writer: Writer, step: Call, time: { start: number; end: number }): void {
  const { tool, input } = native(step);
  const state = step.isError
    ? { status: "error", input, error: step.output, time }
    : { status: "completed", input, output: step.output, metadata: shown(step), title: tool, time };
  const callID = `toolu_01${hex(writer.scene.random, 22)}`;
  part(writer, writer.message, { type: "tool", tool, callID, state });
}

/** What the CLI keeps for its own display. */
function shown(step: Call): object {
  if (step.tool === "bash") return { output: step.output, exit: 0, description: step.description };
  return { preview: step.output.slice(0, 500), truncated: false };
}

function native(step: Call): { tool: string; input: object } {
  switch (step.tool) {
    case "read":
      return { tool: "read", input: { filePath: step.path } };
    case "edit":
      return { tool: "edit", input: { filePath: step.path, oldString: step.before, newString: step.after } };
    case "write":
      return { tool: "write", input: { filePath: step.path, content: step.content } };
    case "bash":
      return { tool: "bash", input: { command: step.command, description: step.description } };
    case "search":
      return { tool: "grep", input: { pattern: step.pattern } };
  }
}
