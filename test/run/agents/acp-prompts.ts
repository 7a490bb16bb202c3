// What the test agent does for each prompt (acp-agent.ts).
import * as acp from "@agentclientprotocol/sdk";

interface Doing {
  client: acp.AgentContext;
  sessionId: string;
  tell(update: acp.SessionUpdate): Promise<void>;
  signal: AbortSignal;
  chosen: { mode: string; model: string; log: string[] };
}

type Behave = (doing: Doing) => Promise<acp.PromptResponse | undefined>;

const words = (text: string): acp.ContentBlock => ({ type: "text", text });
const content = (text: string): acp.ToolCallContent => ({ type: "content", content: words(text) });
const says = (text: string, messageId?: string): acp.SessionUpdate => ({
  sessionUpdate: "agent_message_chunk",
  content: words(text),
  ...(messageId !== undefined && { messageId }),
});

export const PROMPTS: Record<string, Behave | undefined> = {
  async text({ tell }) {
    await tell({ sessionUpdate: "agent_thought_chunk", content: words("Hm.") });
    await tell(says("Hello ", "m1"));
    await tell(says("there.", "m1"));
    await tell(says("Bye.", "m2"));
    return undefined;
  },

  /** Some tell arguments late, some never, some only a diff. */
  async tools({ tell }) {
    const call = (toolCallId: string, title: string, rest: object = {}) =>
      tell({ sessionUpdate: "tool_call", toolCallId, title, ...rest });
    const update = (toolCallId: string, rest: object) =>
      tell({ sessionUpdate: "tool_call_update", toolCallId, ...rest });
    await call("t1", "Terminal", {
      kind: "execute",
      status: "pending",
      rawInput: {},
      content: [content("why")],
    });
    await update("t1", { rawInput: { command: "ls -l" } });
    await update("t1", { status: "in_progress", content: [content("a.txt")] });
    await update("t1", { status: "completed" });
    await call("t2", "Edit a.txt", {
      kind: "edit",
      status: "in_progress",
      locations: [{ path: "/p/a.txt" }],
    });
    const before = "one\ntwo\nthree\n";
    const diff = { type: "diff", path: "/p/a.txt", oldText: before, newText: "one\n2\nthree\n" };
    await update("t2", { status: "completed", content: [diff, { type: "terminal", terminalId: "x" }] });
    await call("t3", "New file", {
      kind: "edit",
      status: "completed",
      content: [{ type: "diff", path: "/p/b.txt", newText: "b\n" }],
    });
    await call("t4", "`make`", { kind: "execute", status: "in_progress" });
    await update("t4", { status: "failed", rawOutput: { stdout: "half", stderr: "bad", exit_code: 2 } });
    await call("t5", "Reading", {
      kind: "read",
      status: "in_progress",
      locations: [{ path: "/p/a.txt", line: 3 }],
    });
    await update("t5", { status: "completed", content: [content("three")] });
    await call("t6", "Removing", {
      kind: "delete",
      status: "in_progress",
      locations: [{ path: "/p/a.txt" }],
    });
    await update("t6", { status: "completed" });
    await call("t7", "look_around", {
      name: "look_around",
      kind: "other",
      status: "completed",
      rawInput: { far: true },
    });
    await call("t8", "left open", { kind: "execute", status: "in_progress" });
    return undefined;
  },

  async permission(doing) {
    const answer = await asked(doing, ["reject_always", "allow_always", "reject_once", "allow_once"]);
    await doing.tell(says(`chosen: ${answer}`));
    return undefined;
  },

  /** As some agents do, nothing more is said of a call that was denied. */
  async "permission twice"(doing) {
    const first = await asked(doing, ["allow_once", "reject_once"], "p1");
    const second = await asked(doing, ["allow_always", "reject_always"], "p2");
    await doing.tell(says(`chosen: ${first} ${second}`));
    return undefined;
  },

  async stranger({ tell }) {
    const over = { toolCallId: "before", content: [content("It has ended.")] };
    await tell({ sessionUpdate: "tool_call_update", status: "completed", ...over });
    return undefined;
  },

  async "no options"(doing) {
    await doing.tell(says(`chosen: ${await asked(doing, [])}`));
    return undefined;
  },

  async withdrawn({ client, sessionId, tell }) {
    const gone = new AbortController();
    const asking = client.request(
      acp.methods.client.session.requestPermission,
      { sessionId, toolCall: { toolCallId: "w", title: "Wait", kind: "execute" }, options: [] },
      { cancellationSignal: gone.signal },
    );
    gone.abort();
    await asking.catch(() => undefined);
    await tell(says("Never mind."));
    return undefined;
  },

  async form({ client, sessionId, tell }) {
    const answer = await client.request(acp.methods.client.elicitation.create, {
      sessionId,
      mode: "form",
      message: "Before we begin",
      requestedSchema: {
        type: "object",
        properties: {
          name: { type: "string", title: "Name", description: "Who are you?" },
          size: {
            type: "string",
            oneOf: [
              { const: "s", title: "Small" },
              { const: "l", title: "Large" },
            ],
          },
          age: { type: "integer" },
          sure: { type: "boolean", description: "Sure?" },
          tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
        },
        required: ["name"],
      },
    });
    await tell(says(JSON.stringify(answer)));
    return undefined;
  },

  async plan({ tell }) {
    const entry = (text: string, status: acp.PlanEntryStatus): acp.PlanEntry => ({
      content: text,
      status,
      priority: "medium",
    });
    await tell({ sessionUpdate: "plan", entries: [entry("look", "in_progress"), entry("leap", "pending")] });
    await tell({ sessionUpdate: "plan", entries: [entry("look", "in_progress"), entry("leap", "pending")] });
    await tell({
      sessionUpdate: "plan",
      entries: [entry("look", "completed"), entry("leap", "in_progress")],
    });
    return undefined;
  },

  async others({ client, sessionId, tell, chosen }) {
    await tell({ sessionUpdate: "available_commands_update", availableCommands: [] });
    await tell({ sessionUpdate: "session_info_update", title: "A title" });
    await tell({ sessionUpdate: "notice", severity: "info", title: "By the way", description: "it rains" });
    await tell({ sessionUpdate: "compaction_summary_chunk", compactionId: "c", content: words("In ") });
    await tell({ sessionUpdate: "compaction_summary_chunk", compactionId: "c", content: words("short.") });
    await tell({ sessionUpdate: "compaction_update", compactionId: "c", status: "completed" });
    await client.notify("session/update", { sessionId: "another", update: says("not ours") });
    await client.notify("session/update", { sessionId, update: { sessionUpdate: "smell", of: "roses" } });
    await client.notify("_vendor/secret", { a: 1 });
    await client.notify("weather", { sun: true });
    const refused = await client
      .request(acp.methods.client.fs.readTextFile, { sessionId, path: "/etc/hosts" })
      .catch((error: acp.RequestError) => error.code);
    process.stdout.write("not a message\n");
    await tell(says(`fs: ${String(refused)}, offered: ${chosen.log.join()}`));
    return undefined;
  },

  async usage({ tell }) {
    await tell({
      sessionUpdate: "usage_update",
      used: 10,
      size: 100,
      cost: { amount: 0.25, currency: "USD" },
    });
    await tell(says("Paid."));
    const usage = { totalTokens: 160, inputTokens: 100, outputTokens: 20, cachedReadTokens: 40 };
    return { stopReason: "end_turn", usage } as acp.PromptResponse;
  },

  async "more usage"({ tell }) {
    await tell({
      sessionUpdate: "usage_update",
      used: 20,
      size: 100,
      cost: { amount: 0.75, currency: "USD" },
    });
    await tell(says("Paid again."));
    const usage = {
      totalTokens: 130,
      inputTokens: 100,
      outputTokens: 20,
      cachedReadTokens: 60,
      thoughtTokens: 10,
    };
    return { stopReason: "end_turn", usage } as acp.PromptResponse;
  },

  async chosen({ tell, chosen }) {
    await tell(says(`${chosen.mode} ${chosen.model}`));
    return undefined;
  },

  async reconfigured({ tell }) {
    const options = [{ value: "large", name: "large" }];
    const model = {
      id: "model",
      name: "model",
      category: "model",
      type: "select",
      currentValue: "large",
      options,
    };
    await tell({ sessionUpdate: "config_option_update", configOptions: [model as acp.SessionConfigOption] });
    return undefined;
  },

  async hang({ tell, signal }) {
    await tell(says("Waiting."));
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    return undefined;
  },

  /** An agent that throws when it is stopped. */
  async "hang and throw"({ tell, signal }) {
    await tell(says("Waiting."));
    await new Promise((resolve) => signal.addEventListener("abort", resolve));
    throw acp.RequestError.internalError("aborted");
  },

  refusal: async () => ({ stopReason: "refusal" }),
  "max tokens": async () => ({ stopReason: "max_tokens" }),
  "max requests": async () => ({ stopReason: "max_turn_requests" }),
  async "rate limited"() {
    throw new acp.RequestError(429, "Too many requests. Please retry in 2.5s.");
  },
  async "signed out"() {
    throw acp.RequestError.authRequired();
  },
  async "vendor failed"() {
    const error = { error: { type: "overloaded_error", message: "Overloaded" } };
    throw acp.RequestError.internalError({ details: JSON.stringify(error) });
  },
  async dies() {
    process.exit(3);
  },
};

const METHOD = acp.methods.client.session.requestPermission;

async function asked(
  { client, sessionId }: Doing,
  kinds: acp.PermissionOptionKind[],
  id = "p",
): Promise<string> {
  const { outcome }: acp.RequestPermissionResponse = await client.request(METHOD, {
    sessionId,
    toolCall: { toolCallId: id, title: "rm a.txt", kind: "execute", rawInput: { command: `rm ${id}` } },
    // Their names say the contrary of what they are.
    options: kinds.map((kind, at) => ({
      optionId: `o${at}-${kind}`,
      kind,
      name: kind.includes("allow") ? "No" : "Yes",
    })),
  });
  return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
}
