// Records one kind of session from a real CLI: its native files and what the CLI told the model when it resumed
// it, both scrubbed alike.
import { glob, readdir, readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Block, Message } from "../../src/loopback/request.ts";
import { blockText } from "../../src/loopback/request.ts";
import { openRig, type Rig } from "./harness.ts";
import type { Cli, CliName } from "./install.ts";
import { databaseBytes } from "./record-database.ts";
import { scrubber, shortened } from "./scrub.ts";

const PROMPT = "The question that comes after everything else";

export interface Recording {
  /** Paths as in the agent's home. */
  files: Map<string, string | Uint8Array>;
  /** What the CLI asked when it resumed the session. */
  messages: Message[];
  id: string;
}

export async function record(
  name: CliName,
  kind: string,
  scenario: (rig: Rig) => Promise<string>,
  cli?: Cli,
): Promise<Recording> {
  const rig = await openRig(name, cli ? { cli } : {});
  try {
    const id = await scenario(rig);
    const database = await databaseOf(rig);
    const bytes = database && (await databaseBytes(database, pathsOf(rig)));
    const files = database ? new Map<string, string>() : await filesOf(rig);
    const turn = await rig.resume(id, PROMPT, [{ text: "The answer" }]);
    const messages = turn.requests[0]?.request.messages;
    if (!messages) throw new Error(`${name} did not resume the ${kind} session: ${turn.stderr}`);
    const recording = scrubbed(rig, id, files, messages);
    if (database && bytes) recording.files.set(relative(rig.home, database), bytes);
    return recording;
  } finally {
    await rig.close();
  }
}

/** A store that is a database is that and nothing else. */
async function databaseOf(rig: Rig): Promise<string | undefined> {
  for await (const path of glob(join(rig.driver.store(rig.home), "*.db"))) return path;
  return undefined;
}

async function filesOf(rig: Rig): Promise<Map<string, string>> {
  const store = rig.driver.store(rig.home);
  const files = new Map<string, string>();
  const found = await readdir(store, { recursive: true, withFileTypes: true });
  for (const entry of found.filter((one) => one.isFile()).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(entry.parentPath, entry.name);
    files.set(relative(rig.home, path), await readFile(path, "utf8"));
  }
  return files;
}

function scrubbed(rig: Rig, id: string, files: Map<string, string>, messages: Message[]): Recording {
  const told = messages.filter(({ role }) => role !== "system").map(withoutContext);
  const paths = pathsOf(rig);
  const everything = [...files.keys(), ...files.values(), JSON.stringify(told)].join("\n");
  const { text, record } = scrubber(everything, paths, spokenIn(told));
  const clean = (raw: string) => text(JSON.stringify(record(JSON.parse(raw))));
  const lines = (content: string) =>
    content
      .trimEnd()
      .split("\n")
      .map((line) => `${clean(line)}\n`)
      .join("");
  const native = new Map(
    Array.from(files, ([path, content]) => [
      text(path),
      /\.jsonl?$/.test(path) ? lines(content) : text(content),
    ]),
  );
  return { id: text(id), files: withOffsets(native), messages: JSON.parse(clean(JSON.stringify(told))) };
}

function pathsOf(rig: Rig): Map<string, string> {
  const root = dirname(rig.home);
  const encoded = (path: string) => path.replace(/[^A-Za-z0-9]/g, "-");
  return new Map([
    [rig.cwd, "/home/dev/project"],
    [rig.home, "/home/dev"],
    [root, "/tmp/dev"],
    [encoded(rig.cwd), "-home-dev-project"],
    [encoded(root), "-tmp-dev"],
    [rig.loopback.url, "http://127.0.0.1:1"],
  ]);
}

/** The CLI's own context is cut like its records are; what a subagent reported is part of the conversation. */
function withoutContext({ role, blocks }: Message): Message {
  const isContext = (text: string) =>
    /^<(system-reminder|environment_context|session_context)>/.test(text) &&
    !text.includes("task-notification");
  const cut = (block: Block): Block =>
    block.type === "text" && isContext(block.text) ? { ...block, text: shortened(block.text) } : block;
  return { role, blocks: blocks.map(cut) };
}

function spokenIn(messages: readonly Message[]): string[] {
  const texts = messages.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      if (block.type === "image" || block.type === "document") return [block.data ?? block.url ?? ""];
      const inner =
        block.type === "tool_result"
          ? block.blocks.map((one) => ("data" in one ? (one.data ?? "") : blockText(one)))
          : [];
      return [
        blockText(block),
        ...inner,
        ...(block.type === "tool_use" && typeof block.input === "string" ? [block.input] : []),
      ];
    }),
  );
  return texts.filter((text) => text.length > 40);
}

/** A fork names the byte where its parent's part ends, and scrubbing has moved it. */
function withOffsets(files: Map<string, string>): Map<string, string> {
  const result = new Map<string, string>();
  for (const [path, content] of files) {
    const replaced = content.replace(
      /"history_base":\{"thread_id":"([^"]+)","end_ordinal_exclusive":(\d+),"end_byte_offset":\d+\}/g,
      (_, thread, ordinal) => {
        const offset = offsetOf(files, path, thread, Number(ordinal));
        return `"history_base":{"thread_id":"${thread}","end_ordinal_exclusive":${ordinal},"end_byte_offset":${offset}}`;
      },
    );
    result.set(path, replaced);
  }
  return result;
}

function offsetOf(files: Map<string, string>, own: string, thread: string, ordinal: number): number {
  const parent =
    Array.from(files).find(([path]) => path !== own && path.endsWith(`-${thread}.jsonl`))?.[1] ?? "";
  let offset = 0;
  for (const line of parent.split(/(?<=\n)/)) {
    if (JSON.parse(line).ordinal >= ordinal) break;
    offset += Buffer.byteLength(line);
  }
  return offset;
}
