// What the recorded runs do not show of the live driver: how it is started, what comes at a bad time, and what nobody
// should ever say.
import { describe, expect, it } from "vitest";
import { driver } from "../../../src/adapters/opencode/run.ts";
import { AGENTS, busy, REQUEST, ready, SESSION, Told } from "./told.ts";

describe("the launch", () => {
  it("listens on loopback only, with a word that only this run knows", () => {
    const { argv, env, transport } = driver.launch(REQUEST);
    expect(argv).toEqual(["opencode", "serve", "--port", "0", "--hostname", "127.0.0.1"]);
    expect(env).toMatchObject({ OPENCODE_SERVER_PASSWORD: "a word", OPENCODE_SERVER_USERNAME: "opencode" });
    const authorization = `Basic ${Buffer.from("opencode:a word").toString("base64")}`;
    expect(transport).toMatchObject({ type: "http", events: "/event", headers: { authorization } });
    expect(argv.join(" ")).not.toContain("a word");
  });

  it("names folders in any script", () => {
    const { transport } = driver.launch({ ...REQUEST, cwd: "/home/ü 日本" });
    expect(transport).toMatchObject({
      headers: { "x-opencode-directory": "%2Fhome%2F%C3%BC%20%E6%97%A5%E6%9C%AC" },
    });
  });

  it.each([
    ["default", false],
    ["auto", false],
    ["interactive", true],
    ["deny", true],
  ] as const)("in mode %s: asks for every change: %s", (mode, asks) => {
    const { env } = driver.launch({ ...REQUEST, mode });
    expect(env.OPENCODE_PERMISSION !== undefined).toBe(asks);
    expect(JSON.parse(env.OPENCODE_PERMISSION ?? "{}")).toEqual(
      asks ? { "bas?": "ask", "edi?": "ask", "tas?": "ask", "webfetc?": "ask", "*_*": "ask" } : {},
    );
  });

  it("adds to what the user has set in the same variables", () => {
    const theirs = { OPENCODE_PERMISSION: '{"bash":"allow"}', OPENCODE_CONFIG_CONTENT: '{"model":"a/b"}' };
    const home = { dir: "/home/user", env: theirs };
    const { env } = driver.launch({ ...REQUEST, home, mode: "deny" });
    expect(JSON.parse(env.OPENCODE_PERMISSION ?? "")).toMatchObject({ bash: "allow", "bas?": "ask" });
    expect(JSON.parse(env.OPENCODE_CONFIG_CONTENT ?? "")).toEqual({
      model: "a/b",
      experimental: { continue_loop_on_deny: true },
    });
    const commented = { dir: "/home/user", env: { OPENCODE_CONFIG_CONTENT: "{ // mine\n}" } };
    expect(driver.launch({ ...REQUEST, home: commented }).env.OPENCODE_CONFIG_CONTENT).toBe("{ // mine\n}");
  });
});

describe("a session", () => {
  it("is made with the first prompt, and once", () => {
    const told = ready();
    expect(told.requests("/session")).toEqual([]);
    told.tell({ type: "prompt", text: "Go" });
    expect(told.requests("/session")).toMatchObject([{ method: "POST", body: {} }]);
    told.answer("/session", { id: SESSION });
    expect(told.requests("/prompt_async")).toMatchObject([
      { path: `/session/${SESSION}/prompt_async`, body: { parts: [{ type: "text", text: "Go" }] } },
    ]);
    told.status("busy").reply("msg_1").replyOver("msg_1").idle().tell({ type: "prompt", text: "On" });
    expect(told.requests("/session")).toHaveLength(1);
    expect(told.events("init")).toEqual([
      { type: "init", session_id: SESSION, model: "sim/one", version: "1.18.33" },
    ]);
  });

  it("that cannot be made fails the turn, and the next prompt tries again", () => {
    const told = ready().tell({ type: "prompt", text: "Go" });
    told.answer("/session", { name: "UnknownError", data: { message: "disk full" } }, 500);
    expect(told.events("error")).toMatchObject([{ code: "failed", message: "disk full" }]);
    expect(told.events("result")).toHaveLength(1);
    told.tell({ type: "prompt", text: "Again" }).answer("/session", { id: SESSION });
    expect(told.requests("/prompt_async")).toMatchObject([{ body: { parts: [{ text: "Again" }] } }]);
  });

  const gone = (body: unknown, status = 200) =>
    new Told({ session: SESSION })
      .tell({ type: "start" })
      .answer("/global/health", {})
      .answer(SESSION, body, status);

  it.each([
    ["is not there", { name: "NotFoundError" }, 404],
    ["is none by its name", { name: "BadRequest" }, 400],
    ["is another one", { id: "ses_other" }, 200],
    ["belongs to another folder", { id: SESSION, directory: "/home/user/other" }, 200],
  ])("that %s is missing", (_, body, status) => {
    const told = gone(body, status);
    expect(told.events("error")).toMatchObject([{ code: "session_missing" }]);
    expect(told.events("result")).toHaveLength(1);
    expect(told.has("stop")).toBe(true);
    expect(told.has("ready")).toBe(false);
    expect(told.tell({ type: "prompt", text: "Go" }).requests("/prompt_async")).toEqual([]);
  });

  it("is not begun with a server that gives no answer", () => {
    const told = new Told().tell({ type: "start" }).answer("/global/health", "Its answer is too long.", 0);
    expect(told.events("error")).toMatchObject([{ message: "Its answer is too long." }]);
    expect(told.has("stop")).toBe(true);
    expect(told.has("ready")).toBe(false);
  });

  it("is gone on with in its own agent and model", () => {
    const told = gone({
      id: SESSION,
      directory: "/home/user/project/",
      agent: "plan",
      model: { providerID: "sim", id: "one" },
    });
    expect(told.events("init")).toMatchObject([{ session_id: SESSION, model: "sim/one" }]);
    told.answer("/agent", AGENTS).tell({ type: "prompt", text: "Go" });
    expect(told.has("ready")).toBe(true);
    expect(told.requests("/prompt_async")).toMatchObject([{ body: { agent: "plan" } }]);
  });

  it("is gone on with in the default agent where its own is not there any more", () => {
    const told = gone({ id: SESSION, agent: "general" }).answer("/agent", AGENTS);
    told.tell({ type: "prompt", text: "Go" });
    expect(told.requests("/prompt_async")).toMatchObject([{ body: { agent: "build" } }]);
  });
});

describe("an interrupt", () => {
  it("aborts the session", () => {
    const told = busy().tell({ type: "interrupt" });
    expect(told.requests("/abort")).toHaveLength(1);
    told.replyOver("msg_1").idle();
    expect(told.events("result")).toEqual([{ type: "result", interrupted: true }]);
  });

  it("before there is a session takes the prompt back", () => {
    const told = ready().tell({ type: "prompt", text: "Go" }, { type: "interrupt" });
    expect(told.events("result")).toEqual([{ type: "result", interrupted: true }]);
    told.answer("/session", { id: SESSION });
    expect(told.requests("/prompt_async")).toEqual([]);
    expect(told.tell({ type: "prompt", text: "On" }).requests("/prompt_async")).toHaveLength(1);
  });

  it("that comes before OpenCode has begun is said again", () => {
    const told = ready().tell({ type: "prompt", text: "Go" }).answer("/session", { id: SESSION });
    told.tell({ type: "interrupt" }).idle().answer("/abort", true);
    expect(told.events("result")).toEqual([]);
    told.status("busy");
    expect(told.requests("/abort")).toHaveLength(2);
    expect(told.idle().events("result")).toEqual([{ type: "result", interrupted: true }]);
  });
});

describe("another model", () => {
  it("goes with the next prompt", () => {
    const told = busy({ model: "sim/one" }).replyOver("msg_1").idle();
    told.tell({ type: "set_model", model: "router/a/b:free" }, { type: "prompt", text: "On" });
    const models = told.requests("/prompt_async").map(({ body }) => (body as { model: unknown }).model);
    expect(models).toEqual([
      { providerID: "sim", modelID: "one" },
      { providerID: "router", modelID: "a/b:free" },
    ]);
    expect(told.events("init").at(-1)).toMatchObject({ model: "router/a/b:free" });
  });

  it("has to name its provider", () => {
    const told = busy().replyOver("msg_1").idle().tell({ type: "set_model", model: "one" });
    expect(told.events("system")).toMatchObject([{ subtype: "error", code: "model_unknown" }]);
    const never = ready({ model: "one" }).tell({ type: "prompt", text: "Go" });
    expect(never.events("error")).toMatchObject([{ code: "model_unknown" }]);
    expect(never.events("result")).toHaveLength(1);
    expect(never.requests("/session")).toEqual([]);
  });
});

describe("whatever it says", () => {
  it("that is no event is told raw", () => {
    const told = busy().tell({ type: "line", text: "Segmentation fault" }, { type: "line", text: "[1]" });
    expect(told.events("raw").map(({ text }) => text)).toEqual(["Segmentation fault", "[1]"]);
    const deep = `{"type":"x","properties":${"[".repeat(5000)}${"]".repeat(5000)}}`;
    expect(busy().tell({ type: "line", text: deep }).events("raw")).toHaveLength(1);
  });

  it("does no harm", () => {
    const types = [
      ..."session.created session.status session.idle session.error session.compacted message.updated".split(
        " ",
      ),
      ..."message.part.updated message.part.delta permission.asked question.asked permission.replied".split(
        " ",
      ),
    ];
    const values = [
      null,
      1,
      "x",
      "__proto__",
      [],
      {},
      [null],
      { id: 1 },
      { status: "running", input: [1] },
      true,
    ];
    for (const mode of ["auto", "deny"] as const)
      for (const value of values) {
        const told = busy({ mode });
        for (const type of types) {
          told.tell({ type: "line", text: JSON.stringify({ type, properties: value }) });
          const fields =
            "id info part status error messageID partID delta permission patterns questions tool";
          for (const field of fields.split(" "))
            told.event(type, { sessionID: SESSION, id: "per_1", [field]: value });
          const part = { id: "prt_1", messageID: "msg_1", type: "tool", tool: "task", state: value };
          told.event(type, { sessionID: SESSION, part, info: { id: "msg_1", role: value, time: value } });
        }
        for (const id of [0, 1, 2, 3, 99]) told.tell({ type: "answer", id, status: 200, body: value });
        told.tell({ type: "end", exitCode: 1, signal: null, stderr: "" });
        expect(JSON.parse(JSON.stringify(told.state))).toEqual(told.state);
      }
  });

  it("for however long leaves little behind", () => {
    const told = busy();
    const size = () => JSON.stringify(told.state).length;
    const before = size();
    for (let step = 0; step < 3000; step++) {
      const id = `msg_${step + 2}`;
      told.reply(id).part({ id: `prt_${step}`, messageID: id, type: "text", text: "words" });
      const state = { status: "completed", input: { command: "ls" }, output: "x" };
      told.part({
        id: `prt_t${step}`,
        messageID: id,
        type: "tool",
        tool: "bash",
        callID: `call_${step}`,
        state,
      });
      told
        .permission(`per_${step}`)
        .event("permission.replied", { sessionID: SESSION, requestID: `per_${step}` });
      told.replyOver(id);
    }
    expect(size()).toBeLessThan(before + 500);
    for (let step = 0; step < 3000; step++) told.reply(`msg_open_${step}`).permission(`per_open_${step}`);
    expect(size()).toBeLessThan(500_000);
    told.said.length = 0;
  });
});
