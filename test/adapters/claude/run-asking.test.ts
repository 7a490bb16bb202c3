// What Claude Code asks of its live driver, and what is answered.
import { describe, expect, it } from "vitest";
import type { Decision } from "../../../src/adapters/driver.ts";
import type { PermissionMode } from "../../../src/session/events.ts";
import { events, lines, prompted, responses } from "./live.ts";

describe("what every change is asked for by", () => {
  const callback = (tool_name: string) => ({
    type: "control_request",
    request_id: "hook",
    request: { subtype: "hook_callback", callback_id: "baton", input: { tool_name } },
  });
  const isAsked = (mode: PermissionMode, tool: string) =>
    responses(prompted({ mode }).tell(callback(tool)))[0].hookSpecificOutput?.permissionDecision === "ask";

  it.each(["Bash", "Write", "Edit", "NotebookEdit", "WebFetch", "mcp__files__write", "SomethingNew"])(
    "%s",
    (tool) => {
      expect(isAsked("interactive", tool)).toBe(true);
      expect(isAsked("deny", tool)).toBe(true);
      expect(isAsked("default", tool)).toBe(false);
      expect(isAsked("auto", tool)).toBe(false);
    },
  );

  it.each(["Read", "Grep", "Glob", "TodoWrite", "AskUserQuestion", "Agent"])("not %s", (tool) => {
    expect(isAsked("interactive", tool)).toBe(false);
  });

  it("follows the mode while it runs", () => {
    const one = prompted({ mode: "default" });
    expect(lines(one.step({ type: "set_mode", mode: "deny" }))).toMatchObject([
      { request: { subtype: "set_permission_mode", mode: "default" } },
    ]);
    expect(responses(one.tell(callback("Bash")))[0]).toMatchObject({ hookSpecificOutput: {} });
    const refusal = { subtype: "error", request_id: "baton-2", error: "Not now." };
    one.tell({ type: "control_response", response: refusal });
    expect(responses(one.tell(callback("Bash")))).toEqual([{}]);
    one.step({ type: "set_mode", mode: "interactive" });
    expect(responses(one.tell(callback("Bash")))[0]).toMatchObject({ hookSpecificOutput: {} });
    one.step({ type: "set_mode", mode: "auto" });
    expect(responses(one.tell(callback("Bash")))).toEqual([{}]);
  });
});

describe("asking", () => {
  const asks = (more: object = {}, id = "a") => ({
    type: "control_request",
    request_id: id,
    request: {
      subtype: "can_use_tool",
      tool_name: "Bash",
      input: { command: "touch x" },
      tool_use_id: "toolu_1",
      ...more,
    },
  });
  const decided = (decision: Decision, more: object = {}) => {
    const one = prompted();
    one.tell(asks(more));
    return { one, response: responses(one.step({ type: "decide", id: "a", decision }))[0] };
  };

  it("says what it is about", () => {
    const one = prompted();
    const task = { task_id: "agent-1", tool_use_id: "toolu_0", task_type: "local_agent" };
    one.tell({ type: "system", subtype: "task_started", ...task });
    expect(events(one.tell(asks({ agent_id: "agent-1", decision_reason: "It is outside." })))).toEqual([
      {
        type: "ask",
        id: "a",
        name: "Bash",
        input: { command: "touch x" },
        call: { tool: "bash", input: { command: "touch x" } },
        tool_use_id: "toolu_1",
        reason: "It is outside.",
        parent_tool_use_id: "toolu_0",
      },
    ]);
    one.tell({ type: "system", subtype: "task_notification", task_id: "agent-1" });
    expect(events(one.tell(asks({ agent_id: "agent-1" }, "b")))[0]).not.toHaveProperty("parent_tool_use_id");
  });

  it("is allowed, also with other arguments, or denied", () => {
    expect(decided({ allow: true }).response).toEqual({
      behavior: "allow",
      updatedInput: { command: "touch x" },
    });
    expect(decided({ allow: true, input: { command: "ls" } }).response.updatedInput).toEqual({
      command: "ls",
    });
    expect(decided({ allow: false, message: "No." }).response).toEqual({ behavior: "deny", message: "No." });
  });

  it("is answered once", () => {
    const { one } = decided({ allow: true });
    expect(one.step({ type: "decide", id: "a", decision: { allow: true } })).toEqual([]);
  });

  it("is withdrawn", () => {
    const one = prompted();
    one.tell(asks());
    expect(events(one.tell({ type: "control_cancel_request", request_id: "a" }))).toEqual([
      { type: "unask", id: "a" },
    ]);
    expect(one.step({ type: "decide", id: "a", decision: { allow: true } })).toEqual([]);
    expect(one.tell({ type: "control_cancel_request", request_id: "a" })).toEqual([]);
  });

  it("takes the CLI's own rules for the session, and never writes them to settings", () => {
    const permission_suggestions = [
      {
        type: "addRules",
        rules: [{ toolName: "Bash", ruleContent: "touch *" }],
        behavior: "allow",
        destination: "localSettings",
      },
      { type: "setMode", mode: "acceptEdits", destination: "session" },
    ];
    const { one, response } = decided({ allow: true, always: true }, { permission_suggestions });
    expect(response.updatedPermissions).toEqual([{ ...permission_suggestions[0], destination: "session" }]);
    expect(events(one.tell(asks({}, "b")))).toHaveLength(1);
  });

  it("says what its own rules would allow, unless our hook asks all the same", () => {
    const rules = [{ toolName: "Bash", ruleContent: "npm run *" }, { toolName: "mcp__shop__buy" }];
    const allow = { type: "addRules", rules, behavior: "allow", destination: "localSettings" };
    const mode = { type: "setMode", mode: "acceptEdits", destination: "session" };
    const folder = { type: "addDirectories", directories: ["/a", "/b"], destination: "session" };
    const told = (permission_suggestions: object[], more: object = {}) =>
      events(prompted().tell(asks({ permission_suggestions, ...more })));
    expect(told([allow, mode])).toMatchObject([{ always: ["Bash(npm run *)", "mcp__shop__buy"] }]);
    expect(told([mode, folder])).toMatchObject([
      { always: ["permission mode acceptEdits", "the folder /a, /b"] },
    ]);
    const edit = { tool_name: "Edit", input: { file_path: "/p/a", old_string: "a", new_string: "b" } };
    for (const more of [edit, { ...edit, decision_reason_type: "hook" }])
      expect(
        told([{ type: "removeRules", rules, behavior: "deny", destination: "session" }], more),
      ).toMatchObject([{ always: ["Edit of /p/a"] }]);
    for (const [none] of [told([]), told([allow], { decision_reason_type: "hook" })])
      expect(none).not.toHaveProperty("always");
  });

  it("remembers what was allowed for the session where the CLI cannot", () => {
    const { one } = decided({ allow: true, always: true }, { decision_reason_type: "hook" });
    expect(responses(one.tell(asks({}, "b")))).toEqual([
      { behavior: "allow", updatedInput: { command: "touch x" } },
    ]);
    expect(events(one.tell(asks({ input: { command: "touch y" } }, "c")))).toHaveLength(1);
  });

  describe("what is allowed for the session covers", () => {
    const HOOK = { decision_reason_type: "hook" };
    const isAskedAgain = (first: object, second: object, decision: Partial<Decision> = {}) => {
      const one = prompted({ mode: "interactive" });
      one.tell(asks({ ...HOOK, ...first }));
      one.step({ type: "decide", id: "a", decision: { allow: true, always: true, ...decision } });
      return events(one.tell(asks({ ...HOOK, ...second }, "b"))).length === 1;
    };
    const bash = (input: object) => ({ tool_name: "Bash", input: { command: "npm test", ...input } });
    const edit = (file_path: string, new_string = "b") => ({
      tool_name: "Edit",
      input: { file_path, old_string: "a", new_string },
    });
    const cell = (notebook_path: string) => ({ tool_name: "NotebookEdit", input: { notebook_path } });
    const mcp = (input: object) => ({ tool_name: "mcp__tracker__create", input });

    it.each([
      ["a command with another description", bash({ description: "one" }), bash({ description: "two" })],
      ["the same arguments in another order", mcp({ a: 1, b: 2 }), mcp({ b: 2, a: 1 })],
      ["another edit of the file", edit("/w/README.md"), edit("/w/README.md", "c")],
      ["another edit of the notebook", cell("/w/a.ipynb"), cell("/w/a.ipynb")],
    ])("%s", (_, first, second) => {
      expect(isAskedAgain(first, second)).toBe(false);
    });

    it.each([
      ["a command outside of the sandbox", bash({}), bash({ dangerouslyDisableSandbox: true })],
      ["a command in the background", bash({}), bash({ run_in_background: true })],
      ["another file", edit("/w/README.md"), edit("/home/user/.bashrc")],
      ["another notebook", cell("/w/a.ipynb"), cell("/w/b.ipynb")],
      ["another tool on the file", edit("/w/README.md"), { ...edit("/w/README.md"), tool_name: "Write" }],
      [
        "another page",
        { tool_name: "WebFetch", input: { url: "https://a.example/1" } },
        { tool_name: "WebFetch", input: { url: "https://a.example/2" } },
      ],
      [
        "another description where it is what the tool is told",
        mcp({ description: "a" }),
        mcp({ description: "b" }),
      ],
    ])("not %s", (_, first, second) => {
      expect(isAskedAgain(first, second)).toBe(true);
    });

    it("the arguments that the user gave instead, and not those of the agent", () => {
      const instead = { input: { command: "npm test" } };
      expect(isAskedAgain(bash({ command: "rm -rf ." }), bash({}), instead)).toBe(false);
      expect(isAskedAgain(bash({ command: "rm -rf ." }), bash({ command: "rm -rf ." }), instead)).toBe(true);
    });

    it("no rule of the CLI's for arguments that the user changed", () => {
      const rules = [{ toolName: "Bash", ruleContent: "rm *" }];
      const permission_suggestions = [{ type: "addRules", rules, behavior: "allow", destination: "session" }];
      const changed = { allow: true, always: true, input: { command: "ls" } };
      expect(decided(changed, { permission_suggestions }).response).not.toHaveProperty("updatedPermissions");
    });

    it("no question, which would go without an answer", () => {
      const question = { tool_name: "AskUserQuestion", input: { questions: [{ question: "Which?" }] } };
      expect(isAskedAgain(question, question, { answers: { "Which?": "One" } })).toBe(true);
    });
  });

  it("remembers it also where the CLI has a rule for it, which does not keep our hook from asking", () => {
    const rules = [{ toolName: "Bash", ruleContent: "touch *" }];
    const permission_suggestions = [{ type: "addRules", rules, behavior: "allow", destination: "session" }];
    const always = { allow: true, always: true };
    const { one, response } = decided(always, { decision_reason_type: "hook", permission_suggestions });
    expect(response.updatedPermissions).toEqual(permission_suggestions);
    expect(responses(one.tell(asks({ decision_reason_type: "hook" }, "b")))).toEqual([
      { behavior: "allow", updatedInput: { command: "touch x" } },
    ]);
  });

  it("forgets it where nothing is to be changed any more", () => {
    const { one } = decided({ allow: true, always: true }, { decision_reason_type: "hook" });
    one.step({ type: "set_mode", mode: "deny" });
    expect(events(one.tell(asks({}, "b")))).toMatchObject([{ type: "ask", id: "b" }]);
  });

  it("asks the user what the agent wants to know", () => {
    const input = { questions: [{ question: "Which?", header: "H", options: [], multiSelect: true }] };
    const one = prompted();
    const [ask] = events(one.tell(asks({ tool_name: "AskUserQuestion", input })));
    expect(ask).toMatchObject({ questions: [{ question: "Which?", multiple: true }] });
    const decision = { allow: true, answers: { "Which?": ["One", "Two"] } };
    expect(responses(one.step({ type: "decide", id: "a", decision }))[0].updatedInput).toEqual({
      ...input,
      answers: { "Which?": "One, Two" },
    });
  });

  it("declines forms, and says that it cannot do other things", () => {
    const one = prompted();
    const form = { subtype: "elicitation", message: "Your name?" };
    expect(responses(one.tell({ type: "control_request", request_id: "a", request: form }))).toEqual([
      { action: "decline" },
    ]);
    const [answer] = lines(
      one.tell({ type: "control_request", request_id: "b", request: { subtype: "new" } }),
    );
    expect(answer.response).toMatchObject({ subtype: "error", request_id: "b" });
  });
});
