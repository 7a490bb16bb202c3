// What OpenCode asks while it runs, and whose rules hold.
import { describe, expect, it } from "vitest";
import { fits } from "../../../src/adapters/opencode/run-rules.ts";
import { AGENTS, busy, OURS, ready, rule, SESSION, Told } from "./told.ts";

describe("what is asked", () => {
  const running = (told: Told, call: string, command: string) =>
    told.tool(call, { status: "running", input: { command } });
  const toolOf = (callID: string) => ({ tool: { messageID: "msg_1", callID } });

  it("waits for the arguments of its call", () => {
    const told = busy().permission("per_1", toolOf("call_1"));
    expect(told.events("ask")).toEqual([]);
    running(told, "call_1", "echo one");
    expect(told.events("ask")).toMatchObject([
      {
        id: "per_1",
        tool_use_id: "call_1",
        name: "bash",
        input: { command: "echo one" },
        reason: "bash: echo one",
      },
    ]);
  });

  it("without a call is asked at once", () => {
    const metadata = { tool: "bash", input: { command: "ls" } };
    const told = busy().permission("per_1", { permission: "doom_loop", patterns: ["bash"], metadata });
    expect(told.events("ask")).toMatchObject([{ name: "bash", input: { command: "ls" } }]);
  });

  it.each([
    [{ allow: true }, { reply: "once" }],
    [{ allow: true, always: true }, { reply: "once" }],
    [
      { allow: false, message: "Not here." },
      { reply: "reject", message: "Not here." },
    ],
    [{ allow: false }, { reply: "reject", message: "The user does not allow it." }],
  ])("%j is told as %j", (decision, body) => {
    const told = busy().permission("per_1").tell({ type: "decide", id: "per_1", decision });
    expect(told.requests("/permission/per_1/reply")).toMatchObject([{ method: "POST", body }]);
    // Nobody is answered twice.
    told.tell({ type: "decide", id: "per_1", decision }, { type: "decide", id: "per_2", decision });
    expect(told.requests("/reply")).toHaveLength(1);
  });

  it("what is allowed for the session is remembered here, and means nothing once all is denied", () => {
    const echo = { always: ["echo *"], patterns: ["echo one"] };
    const told = busy({ mode: "default" }).permission("per_1", echo);
    expect(told.events("ask")).toMatchObject([{ id: "per_1", always: ["bash: echo *"] }]);
    told.tell({ type: "decide", id: "per_1", decision: { allow: true, always: true } });
    told.permission("per_2", { ...echo, patterns: ["echo two"] });
    expect(told.requests("/permission/per_2/reply")).toMatchObject([{ body: { reply: "once" } }]);
    expect(told.events("ask")).toHaveLength(1);
    told.permission("per_3", { always: ["rm *"], patterns: ["rm x"] });
    expect(told.events("ask")).toHaveLength(2);
    told.tell({ type: "set_mode", mode: "deny" }).permission("per_4", { ...echo, patterns: ["echo three"] });
    expect(told.requests("/permission/per_4/reply")).toEqual([]);
    expect(told.events("ask")).toHaveLength(3);
  });

  it("a refusal waits until the others are decided", () => {
    const told = busy().permission("per_1").permission("per_2");
    told.tell({ type: "decide", id: "per_1", decision: { allow: false } });
    expect(told.requests("/reply")).toEqual([]);
    told.tell({ type: "decide", id: "per_2", decision: { allow: true } });
    expect(told.requests("/reply").map(({ path }) => path)).toEqual(["/permission/per_2/reply"]);
    told.event("permission.replied", { sessionID: SESSION, requestID: "per_2", reply: "once" });
    expect(told.requests("/permission/per_1/reply")).toMatchObject([{ body: { reply: "reject" } }]);
    expect(told.answer("/permission/per_2/reply", true).requests("/reply")).toHaveLength(2);
    expect(told.events("unask")).toEqual([]);
  });

  it("is withdrawn when somebody else answers it", () => {
    const told = busy().permission("per_1");
    told.event("permission.replied", { sessionID: SESSION, requestID: "per_1", reply: "reject" });
    expect(told.events("unask")).toEqual([{ type: "unask", id: "per_1" }]);
  });

  it("questions are answered in their order, whatever is left out", () => {
    const questions = [
      { question: "Which?", header: "One" },
      { question: "How many?" },
      { question: "Why?" },
    ];
    const told = busy().event("question.asked", { id: "que_1", sessionID: SESSION, questions });
    expect(told.events("ask")).toMatchObject([{ id: "que_1", questions, call: { tool: "ask" } }]);
    const answers = { "How many?": ["one", "two"], One: "that" };
    told.tell({ type: "decide", id: "que_1", decision: { allow: true, answers } });
    expect(told.requests("/question/que_1/reply")).toMatchObject([
      { body: { answers: [["that"], ["one", "two"], []] } },
    ]);
    const twice = [{ question: "Which?" }, { question: "Which?" }];
    const same = busy().event("question.asked", { id: "que_1", sessionID: SESSION, questions: twice });
    const each = { "Which?": "this", "Which? (2)": "that" };
    same.tell({ type: "decide", id: "que_1", decision: { allow: true, answers: each } });
    expect(same.requests("/question/que_1/reply")).toMatchObject([
      { body: { answers: [["this"], ["that"]] } },
    ]);
    const refused = busy().event("question.asked", { id: "que_1", sessionID: SESSION, questions });
    refused.tell({ type: "decide", id: "que_1", decision: { allow: false } });
    expect(refused.requests("/question/que_1/reject")).toHaveLength(1);
  });
});

describe("rules", () => {
  it.each([
    ["bash", "*", true],
    ["bash", "bas?", true],
    ["git", "git *", true],
    ["git push", "git *", true],
    ["gitx", "git *", false],
    ["a/b/c.env", "*.env", true],
    ["a.envs", "*.env", false],
    ["C:\\a\\b", "C:/a/*", true],
    ["a.b", "a?b", true],
    ["ab", "a?b", false],
    ["line\nline", "*", true],
  ])("%s fits %s: %s", (value, pattern, is) => {
    expect(fits(value, pattern)).toBe(is);
  });

  it("of any length are looked at in no time", () => {
    expect(fits("a".repeat(5000), `${"a*".repeat(200)}b`)).toBe(false);
  });

  it.each([
    ["interactive", "bash", "echo one", "ask"],
    ["interactive", "bash", "rm -rf x", "reject"],
    ["interactive", "external_directory", "/etc/*", "once"],
    ["interactive", "server_tool", "*", "ask"],
    ["deny", "edit", "a.txt", "ask"],
  ] as const)("of the user in mode %s: %s %s is %s", (mode, permission, pattern, becomes) => {
    const told = busy({ mode }).permission("per_1", { permission, patterns: [pattern] });
    expect(told.events("ask")).toHaveLength(becomes === "ask" ? 1 : 0);
    expect(told.requests("/reply")).toMatchObject(becomes === "ask" ? [] : [{ body: { reply: becomes } }]);
  });

  it("of a subagent hold for it", () => {
    const told = busy({ mode: "interactive" });
    const agents = { ...AGENTS[2], permission: [rule("*", "allow"), rule("bash", "deny"), ...OURS] };
    told.state.rules.general = agents.permission as never;
    const info = { id: "ses_sub", parentID: SESSION, agent: "general" };
    told.event("session.created", { sessionID: "ses_sub", info });
    const state = { status: "running", input: { prompt: "Count" }, metadata: { sessionId: "ses_sub" } };
    told.tool("call_1", state, "task").permission("per_1", { sessionID: "ses_sub" });
    expect(told.requests("/reply")).toMatchObject([{ body: { reply: "reject" } }]);
  });

  it("that an agent puts behind ours are answered by rules of the session", () => {
    const build = { ...AGENTS[0], permission: [...OURS, rule("bash", "allow")] };
    const told = ready({ mode: "deny" }, [build]).tell({ type: "prompt", text: "Go" });
    expect(told.requests("/session")).toMatchObject([{ body: { permission: OURS } }]);
    const resumed = new Told({ mode: "deny", session: SESSION })
      .tell({ type: "start" })
      .answer("/global/health", {})
      .answer(SESSION, { id: SESSION })
      .answer("/agent", [build]);
    expect(resumed.has("ready")).toBe(false);
    expect(resumed.requests(SESSION).at(-1)).toMatchObject({ method: "PATCH", body: { permission: OURS } });
    expect(resumed.answer(SESSION, { id: SESSION }).has("ready")).toBe(true);
    // What the session holds already is not put in again.
    const again = new Told({ mode: "deny", session: SESSION })
      .tell({ type: "start" })
      .answer("/global/health", {})
      .answer(SESSION, { id: SESSION, permission: OURS })
      .answer("/agent", [build]);
    expect(again.has("ready")).toBe(true);
  });

  it("that an earlier run has left in a session are not the user's", () => {
    const told = new Told({ mode: "default", session: SESSION })
      .tell({ type: "start" })
      .answer("/global/health", {})
      .answer(SESSION, { id: SESSION, permission: OURS })
      .answer("/agent", [{ name: "build", permission: [rule("*", "allow"), rule("edit", "ask")] }]);
    expect(told.requests(SESSION)).toHaveLength(1);
    told.tell({ type: "prompt", text: "Go" }).status("busy").reply("msg_1").permission("per_1");
    expect(told.requests("/reply")).toMatchObject([{ body: { reply: "once" } }]);
    told.permission("per_2", { permission: "edit", patterns: ["a.txt"] });
    expect(told.events("ask")).toMatchObject([{ id: "per_2" }]);
  });

  it("that cannot be put in keep a run from beginning", () => {
    const build = { ...AGENTS[0], permission: [...OURS, rule("*", "allow")] };
    const told = new Told({ mode: "deny", session: SESSION })
      .tell({ type: "start" })
      .answer("/global/health", {})
      .answer(SESSION, { id: SESSION })
      .answer("/agent", [build])
      .answer(SESSION, { data: { message: "no" } }, 500);
    expect(told.has("stop")).toBe(true);
    expect(told.events("result")).toHaveLength(1);
  });

  it("of a stricter mode come before the next prompt", () => {
    const told = busy({ mode: "default" }).replyOver("msg_1").idle();
    told.tell({ type: "set_mode", mode: "interactive" }, { type: "prompt", text: "On" });
    expect(told.requests("/prompt_async")).toHaveLength(1);
    told.answer("/agent", [{ name: "build", permission: [rule("*", "allow")] }]);
    expect(told.requests("/prompt_async")).toHaveLength(1);
    expect(told.requests(SESSION).at(-1)).toMatchObject({ method: "PATCH", body: { permission: OURS } });
    expect(told.events("mode")).toEqual([]);
    told.answer(SESSION, {});
    expect(told.requests("/prompt_async")).toHaveLength(2);
    expect(told.events("mode")).toEqual([{ type: "mode", mode: "interactive" }]);
    // What OpenCode now asks, the user's own rules had allowed.
    told.tell({ type: "set_mode", mode: "default" }).status("busy").reply("msg_2").permission("per_1");
    expect(told.requests("/reply")).toMatchObject([{ body: { reply: "once" } }]);
    expect(told.events("mode").at(-1)).toEqual({ type: "mode", mode: "default" });
  });

  it("that come in the middle of a turn are for the next one, which says so", () => {
    const told = busy({ mode: "default" }).tell({ type: "set_mode", mode: "deny" });
    told.answer("/agent", [{ name: "build", permission: [rule("*", "allow")] }]).answer(SESSION, {});
    expect(told.events("mode")).toEqual([]);
    told.replyOver("msg_1").idle().tell({ type: "prompt", text: "On" });
    expect(told.events("mode")).toEqual([{ type: "mode", mode: "deny" }]);
  });

  it("that OpenCode does not take leave the mode as it was, until they are asked for again", () => {
    const told = busy({ mode: "auto" }).replyOver("msg_1").idle();
    for (const times of [1, 2]) {
      told.tell({ type: "set_mode", mode: "deny" });
      told.answer("/agent", [{ name: "build", permission: [rule("*", "allow")] }]);
      told.answer(SESSION, { data: { message: "no" } }, 500);
      expect(told.events("mode")).toEqual(Array(times).fill({ type: "mode", mode: "auto" }));
      expect(told.events("system")).toHaveLength(times);
    }
    told.tell({ type: "prompt", text: "On" });
    expect(told.requests("/prompt_async")).toHaveLength(2);
  });
});
