// Generates big, realistic sessions: the same bytes every time, sizes spread as in real transcripts (many
// short records, a few very long outputs), text that looks like code, prose and JSON.

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { generator, uuid } from "./home/random.ts";

export type Kind = "claude" | "codex";

export async function generate(kind: Kind, path: string, bytes: number): Promise<void> {
  const out = createWriteStream(path, { mode: 0o600 });
  let written = 0;
  for (const line of kind === "claude" ? claudeLines() : codexLines()) {
    written += Buffer.byteLength(line) + 1;
    if (!out.write(`${line}\n`)) await once(out, "drain");
    if (written >= bytes) break;
  }
  out.end();
  await once(out, "finish");
}

const CWD = "/home/dev/project";

function* claudeLines(): Generator<string> {
  const random = generator(7);
  let parent: string | null = null;
  let clock = Date.parse("2026-10-01T08:00:00Z");
  const line = (type: string, fields: object): string => {
    const id = uuid(random);
    clock += 1000 + Math.floor(random() * 4000);
    const record = {
      parentUuid: parent,
      isSidechain: false,
      type,
      ...fields,
      uuid: id,
      timestamp: new Date(clock).toISOString(),
      userType: "external",
      entrypoint: "cli",
      cwd: CWD,
      sessionId: "5f0a1b1c-0000-4000-8000-000000000001",
      version: "2.1.325",
      gitBranch: "main",
    };
    parent = id;
    return JSON.stringify(record);
  };
  const reply = (id: string, content: object) =>
    line("assistant", {
      message: {
        id,
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5-20250929",
        content: [content],
        stop_reason: null,
        usage: { input_tokens: 12, output_tokens: 320, cache_read_input_tokens: 30_000 },
      },
    });
  for (let turn = 0; ; turn++) {
    yield line("user", { message: { role: "user", content: prose(random, 200) } });
    const calls = 1 + Math.floor(random() * 6);
    for (let call = 0; call < calls; call++) {
      const id = `msg_${turn}_${call}`;
      const toolId = `toolu_01${letters(random, 22)}`;
      if (random() < 0.3)
        yield reply(id, { type: "thinking", thinking: prose(random, 900), signature: "c2ln" });
      yield reply(id, { type: "text", text: prose(random, 300) });
      const edit = random() < 0.2;
      const file_path = `${CWD}/src/module-${call}.ts`;
      const input = edit
        ? { file_path, old_string: code(random, 400), new_string: code(random, 500) }
        : { command: `rg -n ${word(random)} src`, description: prose(random, 30) };
      yield reply(id, { type: "tool_use", id: toolId, name: edit ? "Edit" : "Bash", input });
      const output = code(random, outputLength(random));
      yield line("user", {
        message: { role: "user", content: [{ type: "tool_result", tool_use_id: toolId, content: output }] },
        toolUseResult: edit
          ? { filePath: file_path }
          : { stdout: output.slice(0, 2000), stderr: "", interrupted: false },
      });
    }
    yield reply(`msg_${turn}_end`, { type: "text", text: prose(random, 800) });
  }
}

function* codexLines(): Generator<string> {
  const random = generator(11);
  let ordinal = 0;
  let clock = Date.parse("2026-10-01T08:00:00Z");
  const line = (type: string, payload: object): string => {
    clock += 1000 + Math.floor(random() * 4000);
    return JSON.stringify({ timestamp: new Date(clock).toISOString(), ordinal: ordinal++, type, payload });
  };
  const id = "019a0000-0000-7000-8000-000000000001";
  yield line("session_meta", {
    id,
    timestamp: new Date(clock).toISOString(),
    cwd: CWD,
    originator: "codex_cli",
    cli_version: "0.166.0",
    source: "cli",
    history_mode: "paginated",
  });
  const message = (role: string, type: string, text: string) => ({
    type: "message",
    role,
    content: [{ type, text }],
  });
  for (let turn = 0; ; turn++) {
    const turn_id = `turn-${turn}`;
    yield line("event_msg", { type: "task_started", turn_id });
    yield line("turn_context", { turn_id, cwd: CWD, model: "gpt-5.5" });
    yield line("response_item", message("user", "input_text", prose(random, 200)));
    const calls = 1 + Math.floor(random() * 6);
    for (let call = 0; call < calls; call++) {
      const call_id = `call_${letters(random, 24)}`;
      yield line("response_item", message("assistant", "output_text", prose(random, 300)));
      const output = code(random, outputLength(random));
      if (random() < 0.2) {
        const input = `*** Begin Patch\n*** Add File: src/new-${turn}-${call}.ts\n+${code(random, 500).replaceAll("\n", "\n+")}\n*** End Patch`;
        yield line("response_item", { type: "custom_tool_call", call_id, name: "apply_patch", input });
        yield line("response_item", { type: "custom_tool_call_output", call_id, output: "Success" });
      } else {
        const args = JSON.stringify({ cmd: `rg -n ${word(random)} src` });
        yield line("response_item", {
          type: "function_call",
          name: "exec_command",
          arguments: args,
          call_id,
        });
        yield line("response_item", { type: "function_call_output", call_id, output });
      }
    }
    yield line("response_item", message("assistant", "output_text", prose(random, 800)));
    yield line("event_msg", { type: "task_complete", turn_id });
  }
}

/** Mostly a kilobyte or two; one in a hundred is a whole log. */
function outputLength(random: () => number): number {
  const roll = random();
  if (roll < 0.01) return 200_000 + random() * 800_000;
  if (roll < 0.1) return 10_000 + random() * 40_000;
  return 200 + random() * 3000;
}

const WORDS =
  "session record entry parse write carry verify the of and stream buffer offset index tool call result branch head parent".split(
    " ",
  );
const FOREIGN = ["über", "naïve", "日本語", "→", "✓"];

function word(random: () => number): string {
  return WORDS[Math.floor(random() * WORDS.length)] as string;
}

/** One text in eight is not plain ASCII, which decides how an engine stores the whole of it. */
function flavour(random: () => number): string {
  return random() < 0.125 ? (FOREIGN[Math.floor(random() * FOREIGN.length)] as string) : word(random);
}

function prose(random: () => number, length: number): string {
  let text = `${flavour(random)} `;
  while (text.length < length) text += `${word(random)} `;
  return text;
}

function code(random: () => number, length: number): string {
  let text = `// ${flavour(random)}\n`;
  while (text.length < length) {
    const name = word(random);
    text +=
      random() < 0.3
        ? `  const ${name} = "${word(random)}";\n`
        : `    if (${name}.${word(random)}(${word(random)}) > ${Math.floor(random() * 1e6)}) return ${word(random)};\n`;
  }
  return text;
}

const ALPHABET = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz123456789";

function letters(random: () => number, length: number): string {
  return Array.from({ length }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]).join("");
}
