// The generic driver for the Agent Client Protocol, told line by line what no agent of the tests says.
import { describe, expect, it } from "vitest";
import { acpDriver } from "../../src/adapters/acp.ts";
import type { Input, Output, RunRequest } from "../../src/adapters/driver.ts";

const run = acpDriver({ argv: ["agent"], remembered: ({ kind }) => kind });

/** Greeted; a session is to be opened. */
function greeted(request: Partial<RunRequest> = {}) {
  const home = { dir: "/home/user", env: {} };
  const all = { home, cwd: "/project", mode: "default", secret: "", version: "0.0.0", ...request } as const;
  const state = run.initial(all);
  const step = (input: Input) => run.step(state, input);
  const line = (message: object) =>
    step({ type: "line", text: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  step({ type: "start" });
  line({ id: 1, result: { protocolVersion: 1, agentCapabilities: { loadSession: true } } });
  return { step, line };
}

/** At work on a prompt, which is its third request. */
function prompted() {
  const one = greeted();
  const availableModes = [{ id: "ask", name: "Ask" }];
  one.line({ id: 2, result: { sessionId: "s1", modes: { currentModeId: "ask", availableModes } } });
  one.step({ type: "prompt", text: "Go" });
  const asked = (
    id: number,
    toolCall: object = { toolCallId: `call-${id}`, kind: "execute", title: "rm x" },
    options: object[] = [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
  ) =>
    one.line({
      id: `ask-${id}`,
      method: "session/request_permission",
      params: { sessionId: "s1", toolCall, options },
    });
  return { ...one, asked };
}

const events = (outputs: Output[]) => outputs.flatMap((one) => (one.type === "event" ? [one.event] : []));
const sent = (outputs: Output[]) =>
  outputs.flatMap((one) => (one.type === "send" ? [JSON.parse(one.line)] : []));

describe("an approval", () => {
  const ALLOWED = { result: { outcome: { outcome: "selected", optionId: "yes" } } };

  it("for the session is forgotten once another mode is wanted", () => {
    const one = prompted();
    const [ask] = events(one.asked(1)).filter(({ type }) => type === "ask");
    expect(ask).toMatchObject({ type: "ask", tool_use_id: "call-1" });
    one.step({ type: "decide", id: "ask-1", decision: { allow: true, always: true } });
    expect(sent(one.asked(2))).toMatchObject([{ id: "ask-2", ...ALLOWED }]);
    one.step({ type: "set_mode", mode: "deny" });
    const denied = one.asked(3);
    expect(sent(denied)).toEqual([]);
    expect(events(denied)).toContainEqual(expect.objectContaining({ type: "ask", tool_use_id: "call-3" }));
  });

  it("shows every argument, whatever it is called", () => {
    const rawInput = JSON.parse('{"command":"ls","constructor":"c","__proto__":"p"}');
    const outputs = prompted().asked(1, { toolCallId: "1", kind: "execute", title: "ls", rawInput });
    const calls = events(outputs).flatMap((event) => ("call" in event ? [JSON.stringify(event.call)] : []));
    const call = '{"tool":"bash","input":{"command":"ls","constructor":"c","__proto__":"p"}}';
    expect(calls).toEqual([call, call]);
  });

  it("that comes after an interrupt is cancelled, and one that waits then is answered once", () => {
    const one = prompted();
    one.asked(1);
    const CANCELLED = { result: { outcome: { outcome: "cancelled" } } };
    expect(sent(one.step({ type: "interrupt" }))).toMatchObject([
      { id: "ask-1", ...CANCELLED },
      { method: "session/cancel" },
    ]);
    expect(one.step({ type: "decide", id: "ask-1", decision: { allow: true } })).toEqual([]);
    const late = one.asked(2);
    expect(sent(late)).toMatchObject([{ id: "ask-2", ...CANCELLED }]);
    expect(events(late)).toEqual([]);
  });
});

it("a session that the agent does not find is missing, whatever its words remind of", () => {
  const { line } = greeted({ session: "overloaded-429" });
  const error = { code: -32_002, message: "Resource not found: overloaded-429" };
  expect(events(line({ id: 2, error }))).toMatchObject([
    { type: "error", code: "session_missing" },
    { type: "result" },
  ]);
});

it("a request that is nested too deeply is refused, and nobody waits for it", () => {
  const deep = JSON.parse(`${"[".repeat(1500)}${"]".repeat(1500)}`);
  const call = { toolCallId: "call-1", kind: "other", rawInput: { deep } };
  const outputs = prompted().asked(1, call);
  expect(sent(outputs)).toMatchObject([
    { id: "ask-1", error: { message: expect.stringContaining("too deeply") } },
  ]);
  expect(events(outputs)).toEqual([]);
});

describe("a call that may change something", () => {
  const asked = (toolCall: object) =>
    events(prompted().asked(1, { toolCallId: "call-1", ...toolCall })).find(({ type }) => type === "ask");

  it.each(["list", "ls", "read_file", "grep"])("is not one that looks because its title is %s", (title) => {
    const input = { command: `${title} && rm x`, path: "/x" };
    expect(asked({ kind: "execute", title, rawInput: input })).toMatchObject({
      input,
      call: { tool: "bash", input: { command: `${title} && rm x` } },
    });
    expect(asked({ kind: "edit", title, rawInput: { path: "/x" } })).not.toMatchObject({
      call: { tool: expect.stringMatching(/^(?:read|list|search|glob)$/) },
    });
    expect(asked({ kind: "read", title: "list", rawInput: { path: "/x" } })).toMatchObject({
      call: { tool: "list" },
    });
  });

  it("says what the agent calls its allowance for the session", () => {
    const call = { toolCallId: "call-1", kind: "execute", title: "rm x" };
    const told = (...kinds: string[]) => {
      const options = kinds.map((kind) => ({ optionId: kind, name: `Name of ${kind}`, kind }));
      return events(prompted().asked(1, call, options)).find(({ type }) => type === "ask");
    };
    expect(told("allow_once", "allow_always")).toMatchObject({ always: ["Name of allow_always"] });
    expect(told("allow_once", "reject_always")).not.toHaveProperty("always");
  });

  it("names all files that it deletes", () => {
    const locations = ["/a", "/b", "/c"].map((path) => ({ path }));
    expect(asked({ kind: "delete", title: "Delete 3 files", locations })).toMatchObject({
      call: { tool: "edit", input: { changes: locations.map(({ path }) => ({ kind: "delete", path })) } },
    });
  });
});

describe("tokens", () => {
  const usage = (told: object) =>
    events(prompted().line({ id: 3, result: { stopReason: "end_turn", usage: told } }))[0];
  const both = { inputTokens: 100, outputTokens: 20, cachedReadTokens: 40, cachedWriteTokens: 5 };

  it("have thoughts beside the words where the total shows it, the cache inside or apart", () => {
    const plain = { type: "usage", input_tokens: 100, output_tokens: 30, reasoning_tokens: 10 };
    expect(usage({ ...both, thoughtTokens: 10, totalTokens: 175 })).toMatchObject(plain);
    expect(usage({ ...both, thoughtTokens: 10, totalTokens: 130 })).toMatchObject({
      ...plain,
      input_tokens: 55,
    });
    expect(usage({ ...both, thoughtTokens: 10, totalTokens: 120 })).toMatchObject({ output_tokens: 20 });
  });
});
