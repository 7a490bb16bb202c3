// The generic driver for the Agent Client Protocol, with agents made with the official SDK, through a real process.
import { describe, expect, it } from "vitest";
import type { AgentEvent, EventOf } from "../../src/session/events.ts";
import type { Setup } from "../run/agents/acp-agent.ts";
import { of, result, start, text, told } from "./acp-told.ts";

describe("an agent that speaks the Agent Client Protocol", () => {
  it("says words and thoughts, by message", async () => {
    const events = await told({}, "text");
    expect(events[0]).toMatchObject({
      subtype: "init",
      session_id: "session-1",
      version: "1.2.3",
      model: "",
    });
    expect(of(events, "thinking")).toMatchObject([{ text: "Hm." }]);
    expect(of(events, "text").map((one) => [one.text, one.message])).toEqual([
      ["Hello ", "m1"],
      ["there.", "m1"],
      ["Bye.", "m2"],
    ]);
    expect(result(events)).toMatchObject({ subtype: "success", result: "Bye.", stop_reason: "end_turn" });
  });

  it("tells calls once their arguments are whole, whatever it tells of them", async () => {
    const events = await told({}, "tools");
    expect(of(events, "tool_use").map(({ id, name, input }) => [id, name, input])).toEqual([
      ["t1", "Bash", { command: "ls -l" }],
      ["t2", "Edit", { file_path: "/p/a.txt", old_string: "two", new_string: "2" }],
      ["t3", "Write", { file_path: "/p/b.txt", content: "b\n" }],
      ["t4", "Bash", { command: "make" }],
      ["t5", "Read", { file_path: "/p/a.txt", offset: 3 }],
      ["t6", "Edit", { file_path: "/p/a.txt", changes: [{ kind: "delete", file_path: "/p/a.txt" }] }],
      ["t7", "look_around", { far: true }],
      ["t8", "Bash", { command: "left open" }],
    ]);
    expect(of(events, "tool_result").map((one) => [one.content, one.is_error])).toEqual([
      ["a.txt", false],
      ["[terminal x]", false],
      ["", false],
      ["half\nbad", true],
      ["three", false],
      ["", false],
      ["", false],
      [expect.stringContaining("no result"), true],
    ]);
  });

  it.each([
    [{ allow: true }, "o3-allow_once"],
    [{ allow: true, always: true }, "o1-allow_always"],
    [{ allow: false, message: "No, never." }, "o2-reject_once"],
  ])("is answered by the kind of an option: %j", async (decision, option) => {
    const one = start();
    one.run.prompt("permission");
    const asked = (await one.until(({ type }) => type === "approval_request")) as EventOf<"approval_request">;
    expect(asked).toMatchObject({ name: "Bash", input: { command: "rm p" }, tool_use_id: "p" });
    one.run.decide(asked.id, decision);
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(text(one.events)).toBe(`chosen: ${option}`);
    if (!decision.allow) {
      expect(of(one.events, "tool_result")).toMatchObject([{ content: "No, never.", is_error: true }]);
      expect(result(one.events)?.permission_denials).toMatchObject([
        { tool_use_id: "p", reason: "No, never." },
      ]);
    }
  });

  it("tells the late end of a call of a turn before as nothing but its words", async () => {
    const one = start();
    one.run.prompt("text");
    one.run.prompt("stranger");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(of(one.events, "tool_use")).toEqual([]);
    expect(of(one.events, "raw")).toMatchObject([{ text: "It has ended." }]);
  });

  it("has a plan, told once for each change of it", async () => {
    const plans = of(await told({}, "plan"), "tool_use");
    expect(plans).toMatchObject([
      { name: "TodoWrite", input: { todos: [{ text: "look", status: "in_progress" }, { text: "leap" }] } },
      { name: "TodoWrite", input: { todos: [{ text: "look", status: "completed" }, { text: "leap" }] } },
    ]);
  });

  it("says other things, of which what is unknown stays raw and what cannot be done is refused", async () => {
    const events = await told({}, "others");
    const system = events.flatMap((event) => (event.type === "system" ? [event] : []));
    expect(system.slice(1)).toMatchObject([
      { subtype: "notice", message: "By the way: it rains" },
      { subtype: "compact_boundary", summary: "In short." },
    ]);
    expect(of(events, "raw").map((one) => one.text)).toEqual([
      '{"sessionUpdate":"smell","of":"roses"}',
      '{"method":"weather","params":{"sun":true}}',
      "not a message",
    ]);
    // -32601: there is no such method.
    const [refused, offered = ""] = text(events).split(", offered: ");
    expect(refused).toBe("fs: -32601");
    expect(JSON.parse(offered)).toMatchObject({
      fs: { readTextFile: false, writeTextFile: false },
      terminal: false,
      elicitation: { form: {} },
      session: { compaction: {}, notices: {} },
    });
  });

  it("tells what a turn took, the cache apart, and what it cost beyond the last", async () => {
    const one = start();
    one.run.prompt("usage");
    one.run.prompt("more usage");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(of(one.events, "usage")).toMatchObject([
      { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 40, total_cost_usd: 0.25 },
      {
        input_tokens: 40,
        output_tokens: 30,
        cache_read_input_tokens: 60,
        reasoning_tokens: 10,
        total_cost_usd: 0.5,
      },
    ]);
  });

  it.each(["hang", "hang and throw"])("is interrupted while it does %s, and goes on", async (prompt) => {
    const one = start();
    one.run.prompt(prompt);
    await one.until(({ type }) => type === "text");
    one.run.interrupt();
    one.run.prompt("text");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(of(one.events, "result").map(({ subtype }) => subtype)).toEqual(["interrupted", "success"]);
    expect(of(one.events, "error")).toEqual([]);
  });

  it.each([
    ["refusal", "refusal", undefined],
    ["max tokens", "error", "failed"],
    ["max requests", "error", "failed"],
    ["rate limited", "error", "rate_limited"],
    ["signed out", "error", "not_signed_in"],
    ["vendor failed", "error", "overloaded"],
    ["dies", "error", "agent_crashed"],
    ["something unknown", "error", "failed"],
  ])("%s ends with %s, %s", async (prompt, subtype, code) => {
    const events = await told({}, prompt);
    expect(result(events)?.subtype).toBe(subtype);
    expect(result(events)?.error?.code).toBe(code);
  });

  it("says how long to wait and how to sign in, where it knows", async () => {
    expect(of(await told({}, "rate limited"), "error")).toMatchObject([
      { status: 429, retry_after_ms: 2500 },
    ]);
    const message = "Authentication required. It offers: In the browser, With a key.";
    expect(of(await told({}, "signed out"), "error")).toMatchObject([{ message }]);
  });
});

describe("before the first prompt", () => {
  it.each([
    [{ needsSignIn: true }, {}, "not_signed_in"],
    [{ protocolVersion: 2 }, {}, "unsupported"],
    [{}, { session: "session-1" }, "unsupported"],
    [{ load: "missing" }, { session: "session-1" }, "session_missing"],
    [{ load: "other" }, { session: "session-1" }, "session_missing"],
    [{}, { model: "large" }, "unsupported"],
    [{ models: ["small"] }, { model: "large" }, "model_unknown"],
  ] as const)("%j with %j fails with %s", async (setup, request, code) => {
    const events = await told(setup as Setup, "text", request);
    expect(of(events, "result")).toHaveLength(1);
    expect(result(events)?.error?.code).toBe(code);
    expect(text(events)).toBe("");
  });

  it.each(["first", "late"] as const)("a session is loaded without telling what was (%s)", async (load) => {
    const events = await told({ load }, "text", { session: "session-7" });
    expect(events[0]).toMatchObject({ session_id: "session-7" });
    expect(text(events)).toBe("Hello there.Bye.");
  });

  it("a session is resumed where that is possible", async () => {
    const events = await told({ load: "missing", resume: true }, "text", { session: "session-7" });
    expect(result(events)).toMatchObject({ subtype: "success", session_id: "session-7" });
  });

  it("an agent is put into a mode in which it asks, by a method or an option of its configuration", async () => {
    const modes = ["bold", "default"];
    expect(text(await told({ modes }, "chosen", { mode: "interactive" }))).toBe("default ");
    expect(text(await told({ modes }, "chosen", { mode: "auto" }))).toBe(" ");
    expect(text(await told({ isConfigured: true }, "chosen", { mode: "deny" }))).toBe("ask ");
  });

  it("says that an agent has no such mode, and does not go on where it refuses one", async () => {
    const notices = (await told({ modes: ["bold"] }, "text", { mode: "deny" })).filter(
      (event) => event.type === "system" && event.subtype === "notice",
    );
    expect(notices).toHaveLength(1);
    const special = { modes: { deny: "broken" } };
    const events = await told({ modes: ["bold"] }, "text", { mode: "deny", special });
    expect(result(events)).toMatchObject({ subtype: "error", error: { code: "unsupported" } });
  });

  it("an agent has the model that was asked for", async () => {
    for (const setup of [{ models: ["small", "large"] }, { isConfigured: true }]) {
      const events = await told(setup, "chosen", { model: "large" });
      expect(events[0]).toMatchObject({ subtype: "init", model: "large" });
      expect(text(events)).toBe(" large");
    }
  });

  it("what is wanted before there is a session is seen to once there is one", async () => {
    const one = start({ models: ["small", "large"], modes: ["bold", "default"] }, { mode: "auto" });
    one.run.setModel("large");
    one.run.setMode("interactive");
    one.run.prompt("chosen");
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(text(one.events)).toBe("default large");
  });
});

describe("while it runs", () => {
  const isModel = (event: AgentEvent) => event.type === "system" && event.subtype === "model";
  const isMode = (mode: string) => (event: AgentEvent) =>
    event.type === "system" && event.subtype === "permission_mode" && event.permission_mode === mode;

  it.each<Setup>([{ models: ["small", "large"] }, { isConfigured: true }])(
    "another model and mode are chosen: %j",
    async (setup) => {
      const one = start({ ...setup, modes: ["bold", "ask"] });
      one.run.prompt("text");
      await one.until(({ type }) => type === "message_stop");
      one.run.setModel("large");
      await one.until(isModel);
      one.run.setMode("deny");
      await one.until(isMode("deny"));
      one.run.prompt("chosen");
      one.run.finish();
      expect(await one.over).toEqual([]);
      expect(text(one.events)).toContain("ask large");
      expect(one.events.filter(isModel)).toMatchObject([{ model: "large", previous: "small" }]);
    },
  );

  it("a model that it changes itself is told", async () => {
    const events = await told({ isConfigured: true }, "reconfigured");
    expect(events.filter(isModel)).toMatchObject([{ model: "large", previous: "small" }]);
  });

  it("a mode that it refuses leaves it in the last one", async () => {
    const one = start({ modes: ["bold"] }, { mode: "auto", special: { modes: { deny: "broken" } } });
    one.run.prompt("text");
    await one.until(({ type }) => type === "message_stop");
    one.run.setMode("deny");
    await one.until(isMode("auto"));
    one.run.finish();
    expect(await one.over).toEqual([]);
    expect(one.events.some(isMode("deny"))).toBe(false);
    expect(one.events.at(-2)).toMatchObject({ subtype: "error", code: "unsupported" });
  });

  it("a model or a mode that it does not have is an error that ends nothing", async () => {
    const one = start({ models: ["small"] }, { mode: "auto" });
    one.run.prompt("text");
    await one.until(({ type }) => type === "message_stop");
    one.run.setModel("huge");
    one.run.setMode("deny");
    one.run.prompt("text");
    one.run.finish();
    expect(await one.over).toEqual([]);
    const errors = one.events.filter((event) => event.type === "system" && event.subtype === "error");
    expect(errors).toMatchObject([{ code: "unsupported" }, { code: "model_unknown" }]);
    expect(one.events.some(isMode("auto"))).toBe(true);
    expect(one.events.some(isMode("deny"))).toBe(false);
    expect(of(one.events, "result").map(({ subtype }) => subtype)).toEqual(["success", "success"]);
  });
});
