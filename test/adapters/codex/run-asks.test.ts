// What Codex asks while it runs and how it is answered, beyond what was recorded.
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../src/adapters/driver.ts";
import { events, lines, opened, prompted } from "./live.ts";

type Running = ReturnType<typeof prompted>;

const decide = (one: Running, id: string, decision: Decision) =>
  lines(one.step({ type: "decide", id, decision }))[0];

describe("approvals", () => {
  const approval = {
    itemId: "call_1",
    command: "/bin/bash -lc 'rm x'",
    cwd: "/home/user/project",
    reason: "Why",
  };

  it.each<[Decision, string]>([
    [{ allow: true }, "accept"],
    [{ allow: true, always: true }, "acceptForSession"],
    [{ allow: false, message: "No." }, "decline"],
  ])("of a command: %j", (decision, word) => {
    const one = prompted();
    expect(events(one.ask(7, "item/commandExecution/requestApproval", approval))).toEqual([
      {
        type: "ask",
        id: "7",
        tool_use_id: "call_1",
        name: "exec_command",
        input: { cmd: "rm x" },
        call: { tool: "bash", input: { command: "rm x" } },
        reason: "Why",
      },
    ]);
    expect(decide(one, "7", decision)).toEqual({ id: 7, result: { decision: word } });
    expect(decide(one, "7", decision)).toBeUndefined();
  });

  it("of the network name the host", () => {
    const one = prompted();
    const network = { itemId: "call_1", networkApprovalContext: { host: "example.com", protocol: "https" } };
    expect(events(one.ask("n", "item/commandExecution/requestApproval", network))).toMatchObject([
      { id: "n", name: "network_access", input: { host: "example.com" }, call: { tool: "unknown" } },
    ]);
    expect(decide(one, "n", { allow: false }).id).toBe("n");
  });

  it("of a patch say what it changes", () => {
    const one = prompted();
    const changes = [{ path: "/a", kind: { type: "add" }, diff: "x\n" }];
    one.item("started", { type: "fileChange", id: "call_1", changes });
    expect(events(one.ask(0, "item/fileChange/requestApproval", { itemId: "call_1" }))).toMatchObject([
      { call: { tool: "write", input: { path: "/a", content: "x\n" } }, tool_use_id: "call_1" },
    ]);
    expect(
      events(one.ask(1, "item/fileChange/requestApproval", { itemId: "other", grantRoot: "/r" })),
    ).toMatchObject([{ call: { tool: "edit", input: { path: "/r" } } }]);
  });

  it("of a command and of a patch say what is granted with them", () => {
    const one = prompted();
    const given = { cmd: "ls", sandbox_permissions: "require_escalated", justification: "List", tty: true };
    const call = { type: "function_call", name: "exec_command", call_id: "call_1" };
    one.raw({ ...call, arguments: JSON.stringify(given) });
    const wider = { fileSystem: { write: ["/"] }, network: { enabled: true } };
    const network = { host: "example.com", protocol: "https" };
    const asked = one.ask(1, "item/commandExecution/requestApproval", {
      ...approval,
      command: "ls",
      additionalPermissions: wider,
      networkApprovalContext: network,
    });
    const more = {
      sandbox_permissions: "require_escalated",
      tty: true,
      additional_permissions: wider,
      network,
    };
    expect(events(asked)).toMatchObject([
      { input: { cmd: "ls", ...more }, call: { tool: "bash", input: { command: "ls", ...more } } },
    ]);
    const changes = [{ path: "/a", kind: { type: "add" }, diff: "x\n" }];
    one.item("started", { type: "fileChange", id: "call_2", changes });
    const patch = one.ask(2, "item/fileChange/requestApproval", { itemId: "call_2", grantRoot: "/r" });
    expect(events(patch)).toMatchObject([
      { call: { tool: "write", input: { path: "/a", content: "x\n", grant_root: "/r" } } },
    ]);
  });

  it("of more permissions grant what was wanted, or nothing", () => {
    const permissions = { network: { enabled: true }, fileSystem: null };
    const answer = (decision: Decision) => {
      const one = prompted();
      one.ask(3, "item/permissions/requestApproval", { itemId: "call_1", permissions });
      return decide(one, "3", decision).result;
    };
    expect(answer({ allow: true })).toEqual({ permissions: { network: { enabled: true } }, scope: "turn" });
    expect(answer({ allow: true, always: true }).scope).toBe("session");
    expect(answer({ allow: false, always: true })).toEqual({ permissions: {}, scope: "turn" });
  });

  it("are withdrawn when Codex does not wait any more", () => {
    const one = prompted();
    one.ask(5, "item/commandExecution/requestApproval", approval);
    expect(events(one.notice("serverRequest/resolved", { requestId: 5 }))).toEqual([
      { type: "unask", id: "5" },
    ]);
    expect(one.notice("serverRequest/resolved", { requestId: 5 })).toEqual([]);
    expect(decide(one, "5", { allow: true })).toBeUndefined();
  });

  it("between two turns are not asked", () => {
    const say = (mode: "auto" | "interactive") =>
      opened({ mode }).ask(5, "item/commandExecution/requestApproval", { threadId: "agent", ...approval });
    expect(lines(say("auto"))[0].result).toEqual({ decision: "accept" });
    expect(lines(say("interactive"))[0].result).toEqual({ decision: "decline" });
    expect(events(say("interactive"))).toMatchObject([{ subtype: "notice" }]);
  });

  it.each([
    [
      "a form",
      { mode: "form", message: "Who?", requestedSchema: { properties: { name: { type: "string" } } } },
    ],
    ["a link", { mode: "url", message: "Sign in", url: "http://127.0.0.1/x" }],
  ])("between two turns %s is declined, also where everything is allowed", (_, wanted) => {
    const asked = { threadId: "agent", serverName: "shop", ...wanted };
    const told = opened({ mode: "auto" }).ask(5, "mcpServer/elicitation/request", asked);
    expect(lines(told)[0].result).toMatchObject({ action: "decline" });
    expect(events(told)).toMatchObject([{ subtype: "notice" }]);
  });
});

describe("questions", () => {
  const question = { id: "q", header: "Colour", question: "Which?", isSecret: false };
  const options = [{ label: "Red", description: "" }, { label: "Blue", description: "sea" }, { no: "label" }];

  it("are answered by what was asked, or by their id", () => {
    const one = prompted();
    const asked = one.ask(1, "item/tool/requestUserInput", {
      itemId: "c",
      questions: [
        { ...question, options },
        { ...question, id: "r", question: "And why?", options: null },
      ],
    });
    expect(events(asked)).toMatchObject([
      {
        questions: [
          {
            question: "Which?",
            header: "Colour",
            options: [{ label: "Red" }, { label: "Blue", description: "sea" }],
          },
          { question: "And why?", header: "Colour" },
        ],
      },
    ]);
    const answers = { "Which?": ["Red", "Blue"], r: "Because." };
    expect(decide(one, "1", { allow: true, answers }).result).toEqual({
      answers: { q: { answers: ["Red", "Blue"] }, r: { answers: ["Because."] } },
    });
  });

  it("are told apart where they are the same", () => {
    const one = prompted();
    const questions = [question, { ...question, id: "r" }];
    expect(events(one.ask(1, "item/tool/requestUserInput", { questions }))).toMatchObject([
      { questions: [{ question: "Which?" }, { question: "Which? (2)" }] },
    ]);
    const answers = { "Which?": "this", "Which? (2)": "that" };
    expect(decide(one, "1", { allow: true, answers }).result).toEqual({
      answers: { q: { answers: ["this"] }, r: { answers: ["that"] } },
    });
    const path = { type: "string", description: "Path" };
    const oneOf = [
      { const: "a", title: "It" },
      { const: "b", title: "It" },
    ];
    const requestedSchema = { properties: { from: path, to: path, how: { type: "string", oneOf } } };
    const asked = one.ask(2, "mcpServer/elicitation/request", {
      serverName: "s",
      mode: "form",
      requestedSchema,
    });
    expect(events(asked)).toMatchObject([
      {
        questions: [
          { question: "Path" },
          { question: "Path (2)" },
          { question: "how", options: [{ label: "It" }, { label: "It (2)" }] },
        ],
      },
    ]);
    const filled = { Path: "x", "Path (2)": "y", how: "It (2)" };
    expect(decide(one, "2", { allow: true, answers: filled }).result).toMatchObject({
      content: { from: "x", to: "y", how: "b" },
    });
  });

  it("that are only agreed to are declined by any other answer", () => {
    const form = {
      serverName: "shop",
      mode: "form",
      message: "Delete all orders?",
      requestedSchema: { properties: {} },
    };
    const link = { serverName: "shop", mode: "url", message: "Sign in", url: "http://127.0.0.1/x" };
    const action = (params: object, answers?: Record<string, string>) => {
      const one = prompted();
      one.ask(1, "mcpServer/elicitation/request", params);
      return decide(one, "1", { allow: true, ...(answers && { answers }) }).result.action;
    };
    for (const params of [form, link]) {
      expect(action(params)).toBe("accept");
      expect(action(params, { any: "Yes" })).toBe("accept");
      for (const word of ["no", "", "I do not agree"]) expect(action(params, { any: word })).toBe("decline");
    }
    expect(events(prompted().ask(1, "mcpServer/elicitation/request", form))).toMatchObject([
      { questions: [{ question: "Delete all orders?", options: [{ label: "Yes" }, { label: "No" }] }] },
    ]);
  });

  it("are left open when nobody answers", () => {
    const one = prompted();
    one.ask(1, "item/tool/requestUserInput", { questions: [question] });
    expect(decide(one, "1", { allow: false }).result).toEqual({ answers: {} });
  });

  it("of a server become a form", () => {
    const one = prompted();
    const properties = {
      tags: {
        type: "array",
        title: "Tags",
        items: { anyOf: [{ const: "x", title: "The X" }, { const: "y" }] },
      },
      level: { type: "number", description: "How high?" },
      isOld: { type: "boolean" },
      none: { type: "string" },
    };
    const asked = one.ask(1, "mcpServer/elicitation/request", {
      serverName: "shop",
      mode: "form",
      _meta: null,
      message: "Please.",
      requestedSchema: { type: "object", properties },
    });
    expect(events(asked)).toMatchObject([
      {
        reason: "Please.",
        questions: [
          { question: "Tags", options: [{ label: "The X" }, { label: "y" }], multiple: true },
          { question: "How high?", header: "level" },
          { question: "isOld", options: [{ label: "Yes" }, { label: "No" }] },
          { question: "none" },
        ],
      },
    ]);
    const answers = { Tags: ["The X", "y"], "How high?": "2.5", isOld: "true" };
    const content = { tags: ["x", "y"], level: 2.5, isOld: true };
    expect(decide(one, "1", { allow: true, answers }).result).toEqual({
      action: "accept",
      content,
      _meta: null,
    });
  });

  it.each<[string, Record<string, string>, object]>([
    ["an empty answer", { "How many?": "" }, { action: "cancel", content: null, _meta: null }],
    ["no number", { "How many?": "some" }, { action: "cancel", content: null, _meta: null }],
    ["no answer", {}, { action: "cancel", content: null, _meta: null }],
    [
      "nothing that it can do without",
      { "How many?": "0", isOld: "", level: " " },
      { action: "accept", content: { n: 0 }, _meta: null },
    ],
    [
      "a no",
      { "How many?": "1", isOld: "no", level: "-1e3" },
      { action: "accept", content: { n: 1, isOld: false, level: -1000 }, _meta: null },
    ],
  ])("of a server get no form back that lacks what it needs: %s", (_, answers, result) => {
    const one = prompted();
    const properties = {
      n: { type: "integer", description: "How many?" },
      isOld: { type: "boolean" },
      level: { type: "number" },
    };
    const requestedSchema = { type: "object", properties, required: ["n"] };
    one.ask(1, "mcpServer/elicitation/request", { serverName: "shop", mode: "form", requestedSchema });
    expect(decide(one, "1", { allow: true, answers }).result).toEqual(result);
  });

  it("about a link are agreed to, or not", () => {
    const one = prompted();
    const link = { serverName: "shop", mode: "url", message: "Sign in", url: "http://127.0.0.1/x" };
    expect(events(one.ask(1, "mcpServer/elicitation/request", link))).toMatchObject([
      {
        questions: [
          { question: "Sign in\nhttp://127.0.0.1/x", options: [{ label: "Done" }, { label: "No" }] },
        ],
      },
    ]);
    expect(decide(one, "1", { allow: false }).result).toEqual({
      action: "decline",
      content: null,
      _meta: null,
    });
  });

  it("whether a tool may be called name the tool and its arguments, and the call that is the same", () => {
    const one = prompted();
    const ask = (id: number) =>
      events(
        one.ask(id, "mcpServer/elicitation/request", {
          serverName: "shop",
          mode: "form",
          message: 'Allow the shop MCP server to run tool "buy"?',
          _meta: { codex_approval_kind: "mcp_tool_call", tool_params: { what: "tea" } },
        }),
      );
    expect(ask(1)).toMatchObject([
      { name: "mcp__shop__buy", input: { what: "tea" }, always: ["mcp__shop__buy"] },
    ]);
    const buys = (id: string, what: string, tool = "buy") =>
      one.item("started", { type: "mcpToolCall", id, server: "shop", tool, arguments: { what } });
    buys("call_7", "tea");
    buys("call_8", "tea");
    buys("call_9", "milk");
    buys("call_10", "tea", "sell");
    expect(ask(2)).toMatchObject([{ tool_use_id: "call_7", name: "mcp__shop__buy", input: { what: "tea" } }]);
    expect(ask(3)).toMatchObject([{ tool_use_id: "call_8", input: { what: "tea" } }]);
    const [none] = ask(4);
    expect(none).toMatchObject({ name: "mcp__shop__buy", input: { what: "tea" } });
    expect(none).not.toHaveProperty("tool_use_id");
    expect(decide(one, "2", { allow: true, always: true }).result).toMatchObject({
      action: "accept",
      _meta: { persist: "session" },
    });
  });
});

describe("what nobody here can do", () => {
  it.each(["attestation/generate", "currentTime/read", "account/chatgptAuthTokens/refresh", "something/new"])(
    "is refused: %s",
    (method) => {
      expect(lines(prompted().ask(4, method, {}))).toMatchObject([{ id: 4, error: { code: -32601 } }]);
    },
  );

  it("is a failed call where it is a tool of ours", () => {
    expect(lines(prompted().ask(4, "item/tool/call", { tool: "x" }))).toMatchObject([
      { id: 4, result: { success: false } },
    ]);
  });
});
