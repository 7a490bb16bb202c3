// A Codex session that was edited in the universal format and goes back into Codex: what was edited is written,
// every other record stays byte for byte, and what no record can say is named.
import { describe, expect, test } from "vitest";
import { codex } from "../../../src/adapters/codex/index.ts";
import type { Entry, Session } from "../../../src/session/session.ts";
import { collect, sourceOf } from "../../../src/session/source.ts";
import { visible } from "../../../src/transform/visible.ts";
import { applied, privateHome, put, targetIn, writeAll } from "./store.ts";

const ID = "0199aaaa-0000-7000-8000-000000000001";
const NEW = "01a1e000-0000-7000-8000-000000000009";
type Json = Record<string, unknown>;

const line = (type: string, payload: Json, more: Json = {}) =>
  JSON.stringify({ timestamp: "2025-09-01T00:00:01.000Z", ...more, type, payload });
const item = (payload: Json) => line("response_item", payload);
const event = (payload: Json) => line("event_msg", payload);
const says = (role: string, text: string) =>
  item({ type: "message", role, content: [{ type: role === "user" ? "input_text" : "output_text", text }] });
const meta = (more: Json = {}) =>
  line("session_meta", { id: ID, timestamp: "2025-09-01T00:00:00.000Z", cwd: "/home/dev/project", ...more });
const calls = (call_id: string, name: string, input: Json) =>
  item({ type: "function_call", name, arguments: JSON.stringify(input), call_id });
const answers = (call_id: string, output: unknown) => item({ type: "function_call_output", call_id, output });

const LEGACY = [
  meta(),
  line("turn_context", { cwd: "/home/dev/project", model: "gpt-5" }),
  says("user", "first"),
  event({ type: "user_message", message: "first" }),
  line("brand_new", { kept: true }),
  item({
    type: "reasoning",
    summary: [{ type: "summary_text", text: "thought" }],
    encrypted_content: "seal",
  }),
  event({ type: "agent_reasoning", text: "thought" }),
  calls("c1", "shell", {
    command: ["bash", "-lc", "ls"],
    justification: "why",
    with_escalated_permissions: true,
  }),
  event({
    type: "exec_command_end",
    call_id: "c1",
    command: ["ls"],
    stdout: "out",
    stderr: "",
    exit_code: 3,
  }),
  answers("c1", "out"),
  event({ type: "agent_message", message: "done" }),
  says("assistant", "done"),
  item({ type: "new_item", text: "unknown" }),
  says("user", "first"),
  event({ type: "user_message", message: "first" }),
  says("assistant", "end"),
];

/** Written to a store, read, edited as a universal file and written back. */
async function back(lines: readonly string[], edit: (session: Session) => void, originalId = ID) {
  const home = await privateHome();
  const file = `.codex/sessions/2025/09/01/rollout-2025-09-01T00-00-01-${ID}.jsonl`;
  const ref = await codex.recognise(await put(home, file, `${lines.join("\n")}\n`));
  if (!ref) throw new Error("not recognised");
  const session = JSON.parse(
    JSON.stringify(await collect(await codex.open(ref), { records: true })),
  ) as Session;
  edit(session);
  const target = targetIn(home, { originalId, cwd: session.project.path });
  const found = await writeAll(sourceOf(session), target);
  const { source } = await applied(found, target);
  const written = found.main.split("\n").slice(0, -1);
  return {
    written,
    /** Lines that were not there before, and those that are gone. */
    news: written
      .filter((one) => !lines.includes(one))
      .map((one) => JSON.parse(one) as { type: string; payload: Json }),
    gone: lines.filter((one) => !written.includes(one)),
    losses: found.losses.map(({ kind, detail }) => `${kind} ${detail}`),
    entries: await Array.fromAsync(source.entries()),
    seen: await Array.fromAsync(visible(source).entries()),
    says: found.records.flatMap((record) => record.says),
    source,
  };
}

const textOf = (entry: Entry) => ("content" in entry ? entry.content : "output" in entry ? entry.output : "");
const find = (session: Session, id: string) =>
  session.timeline.find((entry) => entry.id === id) as Entry & Json;
const set = (id: string, fields: Json) => (session: Session) => void Object.assign(find(session, id), fields);

describe.each([
  ["its own id", ID],
  ["a new id", NEW],
])("under %s", (_, originalId) => {
  const around = originalId === ID ? [] : [expect.objectContaining({ type: "session_meta" })];

  test("a prompt, and the event that shows it", async () => {
    const {
      news,
      entries,
      losses,
      gone,
      says: said,
    } = await back(LEGACY, set("r13", { content: "EDITED" }), originalId);
    expect(news.slice(around.length).map(({ payload }) => payload)).toEqual([
      { type: "message", role: "user", content: [{ type: "input_text", text: "EDITED" }] },
      { type: "user_message", message: "EDITED" },
    ]);
    expect(gone.length).toBe(around.length);
    expect(entries.map(textOf)).toContain("EDITED");
    expect(said.map(([type]) => type)).toEqual(entries.map(({ type }) => type));
    expect(losses).toEqual([]);
  });

  test("what the model said and thought", async () => {
    const edit = (session: Session) => {
      set("r11", { content: "DONE" })(session);
      set("r5", { parts: [{ type: "thinking", text: "THOUGHT", signature: "seal" }] })(session);
    };
    const { news, entries, losses } = await back(LEGACY, edit, originalId);
    const payloads = news.slice(around.length).map(({ payload }) => payload);
    expect(payloads).toEqual([
      expect.objectContaining({
        encrypted_content: "seal",
        summary: [{ type: "summary_text", text: "THOUGHT" }],
      }),
      { type: "agent_reasoning", text: "THOUGHT" },
      { type: "agent_message", message: "DONE" },
      expect.objectContaining({ role: "assistant" }),
    ]);
    expect(entries.map(textOf)).toContain("DONE");
    expect(losses).toEqual([]);
  });

  test("a command stays the tool it was, with what else it was given", async () => {
    const edit = (session: Session) => {
      (find(session, "c1").input as Json).command = "CHANGED";
    };
    const { news, losses, entries } = await back(LEGACY, edit, originalId);
    const native = {
      command: ["bash", "-lc", "CHANGED"],
      justification: "why",
      with_escalated_permissions: true,
    };
    const payloads = news.slice(around.length).map(({ payload }) => payload);
    expect(payloads[0]).toEqual({
      type: "function_call",
      name: "shell",
      arguments: JSON.stringify(native),
      call_id: "c1",
    });
    expect(payloads[1]).toMatchObject({
      type: "exec_command_end",
      command: ["bash", "-lc", "CHANGED"],
      exit_code: 3,
    });
    expect(entries.find(({ id }) => id === "c1")).toMatchObject({
      tool: "bash",
      input: { command: "CHANGED" },
    });
    expect(losses).toEqual([]);
  });

  test("an output, and how the call ended", async () => {
    const { entries, losses, news, gone } = await back(
      LEGACY,
      set("r9", { output: "NEW", success: true, details: { exitCode: 0 } }),
      originalId,
    );
    expect(entries.find(({ type }) => type === "tool_result")).toMatchObject({
      output: "NEW",
      success: true,
    });
    expect(news.slice(around.length).map(({ payload }) => payload)).toEqual([
      expect.objectContaining({ stdout: "NEW", exit_code: 0 }),
      { type: "function_call_output", call_id: "c1", output: "NEW" },
    ]);
    expect(gone).toEqual([...LEGACY.slice(0, around.length), LEGACY[8], LEGACY[9]]);
    expect(losses).toEqual([]);
  });

  test("an entry that is taken out goes with its event", async () => {
    const edit = (session: Session) => {
      session.timeline = session.timeline.filter(({ id }) => id !== "r11");
    };
    const { news, gone, losses } = await back(LEGACY, edit, originalId);
    expect(news.length).toBe(around.length);
    expect(gone).toEqual([...LEGACY.slice(0, around.length), LEGACY[10], LEGACY[11]]);
    expect(losses).toEqual([]);
  });

  test("an entry that is put in is at its place", async () => {
    const edit = (session: Session) => {
      const at = session.timeline.findIndex(({ id }) => id === "r13");
      const added = {
        id: "new",
        type: "user" as const,
        content: "ADDED",
        timestamp: "2025-09-01T00:00:01.000Z",
      };
      session.timeline.splice(at, 0, added);
    };
    const { news, entries, gone, losses } = await back(LEGACY, edit, originalId);
    expect(gone.length).toBe(around.length);
    expect(news.slice(around.length).map(({ payload }) => payload.type)).toEqual(["message", "user_message"]);
    expect(entries.map(textOf)).toEqual(["first", "", "", "out", "done", "ADDED", "first", "end"]);
    expect(losses).toEqual([]);
  });
});

describe("a paginated rollout", () => {
  const ordinal = (lines: readonly string[]) =>
    lines.map((one, at) => JSON.stringify({ ...JSON.parse(one), ordinal: at }));
  const shown = (type: string, content: Json[]) =>
    event({ type: "item_completed", thread_id: ID, turn_id: "t1", item: { type, id: "i", content } });
  const LINES = ordinal([
    meta({ history_mode: "paginated" }),
    event({ type: "task_started", turn_id: "t1" }),
    says("user", "one"),
    shown("UserMessage", [{ type: "text", text: "one" }]),
    shown("AgentMessage", [{ type: "Text", text: "two" }]),
    says("assistant", "two"),
    event({ type: "task_complete", turn_id: "t1" }),
    event({ type: "task_started", turn_id: "t2" }),
    says("user", "three"),
    event({ type: "task_complete", turn_id: "t2" }),
  ]);

  test("gets the new text in its events too", async () => {
    const { news, losses } = await back(LINES, set("r5", { content: "TWO" }));
    expect(news[0]?.payload.item).toEqual({
      type: "AgentMessage",
      id: "i",
      content: [{ type: "Text", text: "TWO" }],
    });
    expect(news.map(({ type }) => type)).toEqual(["event_msg", "response_item"]);
    expect(losses).toEqual([]);
  });

  test("counts on behind what was put in, which has a turn of its own", async () => {
    const edit = (session: Session) => {
      const at = session.timeline.findIndex(({ id }) => id === "r8");
      const time = { timestamp: "2025-09-01T00:00:01.000Z" };
      session.timeline.splice(at, 0, { ...time, id: "new", type: "user", content: "ADDED" });
    };
    const { written, entries } = await back(LINES, edit);
    const values = written.map((one) => JSON.parse(one) as { ordinal: number; payload: Json });
    expect(values.map((value) => value.ordinal)).toEqual(values.map((_, at) => at));
    const types = values.map(({ payload }) => payload.type);
    expect(types.slice(6, 12)).toEqual([
      ...["task_complete", "task_started", "message", "item_completed", "task_complete", "task_started"],
    ]);
    expect(written.at(-1)?.replace(/"ordinal":\d+/, "")).toBe(LINES.at(-1)?.replace(/"ordinal":\d+/, ""));
    expect(entries.map(textOf)).toEqual(["one", "two", "ADDED", "three"]);
  });
});

describe("compactions and rewinds", () => {
  const member = (text: string) => ({
    type: "message",
    role: "user",
    content: [{ type: "input_text", text }],
  });

  test("an item of a replacement is edited, the others stay", async () => {
    const history = [member("kept"), { type: "mystery", text: "x" }, member("other")];
    const compacted = line("compacted", { message: "sum", replacement_history: history });
    const { news, losses } = await back(
      [meta(), says("user", "a"), compacted, says("user", "b")],
      (session) => {
        const { replacement = [] } = find(session, "r2") as unknown as { replacement: Json[] };
        Object.assign(replacement[1] ?? {}, { content: "EDITED" });
      },
    );
    expect(news.map(({ payload }) => payload.replacement_history)).toEqual([
      [history[0], history[1], member("EDITED")],
    ]);
    expect(losses).toEqual([]);
  });

  test("a rewind takes back the same prompts when one of them is gone", async () => {
    const lines = [
      ...[meta(), says("user", "p1"), says("assistant", "a1"), says("user", "p2"), says("user", "p3")],
      ...[event({ type: "thread_rolled_back", num_turns: 2 }), says("user", "p4")],
    ];
    const { seen, news } = await back(lines, (session) => {
      session.timeline = session.timeline.filter(({ id }) => id !== "r3");
    });
    expect(news.map(({ payload }) => payload)).toEqual([{ type: "thread_rolled_back", num_turns: 1 }]);
    expect(seen.map(textOf)).toEqual(["p1", "a1", "p4"]);
  });
});

describe("facts of the session as a whole", () => {
  test("the folder is written into the thread's own line", async () => {
    const { news, losses, source } = await back(LEGACY, (session) => {
      session.project.path = "/new/folder";
    });
    expect(news.map(({ payload }) => payload.cwd)).toEqual(["/new/folder"]);
    expect(source.header.project.path).toBe("/new/folder");
    expect(losses).toEqual([]);
  });

  test.each<[string, (session: Session) => void]>([
    ["title", (session) => Object.assign(session, { title: "NEW" })],
    ["model", (session) => Object.assign(session.model, { model: "gpt-9" })],
    ["head", (session) => Object.assign(session, { head: "r5" })],
    ["usage", set("r15", { usage: { input: 1, output: 1 } })],
    ["model", set("r15", { model: "gpt-9" })],
    ["the order of the entries", (session) => void session.timeline.reverse()],
  ])("%s: no record can say it, and a loss does", async (name, edit) => {
    const { losses, gone } = await back(LEGACY, edit);
    expect(losses).toEqual([`edit_ignored ${name}`]);
    expect(gone).toEqual([]);
  });

  test("an event may be called like what every object has", async () => {
    const odd = event({ type: "constructor", message: "first" });
    const { gone, losses } = await back([...LEGACY, odd], set("r13", { content: "EDITED" }));
    expect(gone).not.toContain(odd);
    expect(losses).toEqual([]);
  });

  test("success that nothing in the record can say is named", async () => {
    const lines = [
      meta(),
      says("user", "q"),
      calls("c", "t", {}),
      answers("c", "fine"),
      says("assistant", "a"),
    ];
    const { losses } = await back(lines, set("r3", { success: false }));
    expect(losses).toEqual(["edit_ignored success"]);
  });
});
