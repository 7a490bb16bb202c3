// node acp-agent.ts [SETUP]: an agent made with the official SDK of the Agent Client Protocol. What it can is said by
// SETUP (JSON), what it does by the prompt.
import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { PROMPTS } from "./acp-prompts.ts";

export interface Setup {
  protocolVersion?: number;
  needsSignIn?: boolean;
  /** late: goes on telling what was after it has said that the session is loaded, as Gemini CLI does. */
  load?: "first" | "late" | "missing" | "other";
  resume?: boolean;
  modes?: string[];
  /** Modes and models as options of the configuration. */
  isConfigured?: boolean;
  /** As Gemini CLI has them. */
  models?: string[];
}

export type Client = acp.AgentContext;

/** What the session was told to be. */
const chosen = { mode: "", model: "", log: [] as string[] };

const setup: Setup = JSON.parse(process.argv[2] ?? "{}");
const cancelled = new Map<string, AbortController>();

const agent = acp
  .agent({ name: "test-agent" })
  .onRequest(acp.methods.agent.initialize, ({ params }) => {
    chosen.log.push(JSON.stringify(params.clientCapabilities));
    return {
      protocolVersion: setup.protocolVersion ?? acp.PROTOCOL_VERSION,
      agentInfo: { name: "test-agent", title: "Test Agent", version: "1.2.3" },
      authMethods: [
        { id: "browser", name: "In the browser" },
        { id: "key", name: "With a key" },
      ],
      agentCapabilities: {
        loadSession: setup.load !== undefined,
        sessionCapabilities: setup.resume ? { resume: {} } : {},
      },
    };
  })
  .onRequest(acp.methods.agent.session.new, () => {
    if (setup.needsSignIn) throw acp.RequestError.authRequired();
    return { sessionId: "session-1", ...choices() };
  })
  .onRequest(acp.methods.agent.session.resume, () => choices())
  .onRequest(acp.methods.agent.session.load, async ({ params: { sessionId }, client }) => {
    if (setup.load === "missing") throw acp.RequestError.resourceNotFound(sessionId);
    const replay = replayed(client, sessionId);
    if (setup.load === "first") await replay;
    return { ...choices(), ...(setup.load === "other" && { sessionId: "session-9" }) };
  })
  .onRequest(acp.methods.agent.session.setMode, ({ params: { modeId } }) => {
    if (modeId === "broken") throw acp.RequestError.invalidParams();
    chosen.mode = modeId;
    return {};
  })
  .onRequest(
    "session/set_model",
    (params) => params as { modelId: string },
    ({ params: { modelId } }) => {
      if (!setup.models?.includes(modelId)) throw new acp.RequestError(-32_602, `There is no ${modelId}`);
      chosen.model = modelId;
      return {};
    },
  )
  .onRequest(acp.methods.agent.session.setConfigOption, ({ params: { configId, value } }) => {
    if (configId === "mode") chosen.mode = String(value);
    else chosen.model = String(value);
    return { configOptions: configOptions() };
  })
  .onNotification(acp.methods.agent.session.cancel, ({ params: { sessionId } }) => {
    cancelled.get(sessionId)?.abort();
  })
  .onRequest(acp.methods.agent.session.prompt, async ({ params: { sessionId, prompt }, client }) => {
    const over = new AbortController();
    cancelled.set(sessionId, over);
    const [block] = prompt;
    const text = block?.type === "text" ? block.text : "";
    const tell = (update: acp.SessionUpdate) =>
      client.notify(acp.methods.client.session.update, { sessionId, update });
    const behave = PROMPTS[text];
    if (!behave) throw new Error(`nothing is known of ${text}`);
    const answer = await behave({ client, sessionId, tell, signal: over.signal, chosen });
    return answer ?? { stopReason: over.signal.aborted ? "cancelled" : "end_turn" };
  });

agent.connect(
  acp.ndJsonStream(
    Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  ),
);

async function replayed(client: Client, sessionId: string): Promise<void> {
  for (let at = 0; at < 300; at++) {
    const sessionUpdate = at % 2 === 0 ? "user_message_chunk" : "agent_message_chunk";
    const update = { sessionUpdate, content: { type: "text", text: `old ${at}` } } as const;
    await client.notify(acp.methods.client.session.update, { sessionId, update });
  }
}

function choices() {
  const ids = setup.modes ?? [];
  const modes = ids.map((id) => ({ id, name: id }));
  if (setup.isConfigured) return { configOptions: configOptions() };
  return {
    ...(setup.modes && { modes: { currentModeId: ids[0] ?? "", availableModes: modes } }),
    ...(setup.models && {
      models: {
        currentModelId: setup.models[0],
        availableModels: setup.models.map((modelId) => ({ modelId, name: modelId })),
      },
    }),
  };
}

function configOptions(): acp.SessionConfigOption[] {
  const option = (id: string, values: string[], currentValue: string): acp.SessionConfigOption => ({
    id,
    name: id,
    category: id,
    type: "select",
    currentValue,
    options: values.map((value) => ({ value, name: value })),
  });
  return [
    option("mode", ["bold", "ask"], chosen.mode || "bold"),
    option("model", ["small", "large"], chosen.model || "small"),
  ];
}
