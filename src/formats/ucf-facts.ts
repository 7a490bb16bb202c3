// What the Unified Conversation Format says of a conversation as a whole: whose it is, what it cost, and where each
// provider has its own session.
import type { Entry, Header, Usage } from "../session/session.ts";
import { badgeOf, vendorOf } from "../session/vendor.ts";
import { isObject } from "./check.ts";
import type { Ucf, UcfMessage } from "./ucf-schema.ts";

/** Agents whose sessions all carry one badge, whatever model they ran. */
const AGENTS = ["claude", "codex", "gemini", "opencode"];

/** Whose message it is. */
export function badgeFor({ provider, model }: Pick<Entry, "provider" | "model">, header: Header): string {
  if (AGENTS.includes(header.source.cli)) return badgeOf(header.source.cli);
  return badgeOf(provider ?? vendorOf(model) ?? vendorOf(header.model.model) ?? header.model.provider);
}

export function usageOf(usage: Usage): NonNullable<UcfMessage["usage"]> {
  return {
    inputTokens: usage.input,
    outputTokens: usage.output,
    ...(usage.cacheRead !== undefined && { cacheReadTokens: usage.cacheRead }),
    ...(usage.cacheWrite !== undefined && { cacheCreationTokens: usage.cacheWrite }),
    ...(usage.cost !== undefined && { cost: usage.cost }),
  };
}

export type Totals = ReturnType<typeof newTotals>;

/** Adds up what the messages used; what the agent recorded for the whole session wins. */
export function newTotals(header: Header) {
  const { metadata } = header;
  const byProvider: Ucf["usage"]["byProvider"] = {};
  const sum = { input: 0, output: 0, cost: 0 };
  return {
    add(provider: string, usage: Usage): void {
      const own = byProvider[provider] ?? { inputTokens: 0, outputTokens: 0, cost: 0 };
      byProvider[provider] = own;
      own.inputTokens += usage.input;
      own.outputTokens += usage.output;
      own.cost += usage.cost ?? 0;
      sum.input += usage.input;
      sum.output += usage.output;
      sum.cost += usage.cost ?? 0;
    },
    finish(): Ucf["usage"] {
      const { tokens } = metadata;
      // Where nothing is known of single messages, all of it is the session's own provider's.
      if (tokens && Object.keys(byProvider).length === 0)
        byProvider[badgeFor({}, header)] = {
          inputTokens: tokens.input,
          outputTokens: tokens.output,
          cost: metadata.cost ?? 0,
        };
      return {
        totalInputTokens: metadata.tokens?.input ?? sum.input,
        totalOutputTokens: metadata.tokens?.output ?? sum.output,
        totalCost: metadata.cost ?? sum.cost,
        byProvider,
      };
    },
  };
}

/** Where the conversation can be resumed natively: the session itself, and those it was carried from and into. */
export function providerState(header: Header, path: string): Ucf["providerState"] {
  const known = (header as Header & { providerState?: unknown }).providerState;
  if (isObject(known)) return known;
  const state: Record<string, unknown> = {};
  const { cli, originalId } = header.source;
  if (originalId !== undefined) Object.assign(state, stateOf(cli, originalId, path));
  for (const { type, session } of header.links ?? []) {
    if (type !== "continued_in" && type !== "continued_from") continue;
    const colon = session.indexOf(":");
    const found = stateOf(session.slice(0, colon), session.slice(colon + 1), "");
    for (const [name, value] of Object.entries(found)) state[name] ??= value;
  }
  return state;
}

/** The same for sessions that are known by name; the newest of each provider counts. */
export function sessionStates(
  sessions: readonly { agent: string; id: string; path: string }[],
): Ucf["providerState"] {
  return Object.assign({}, ...sessions.map(({ agent, id, path }) => stateOf(agent, id, path)));
}

function stateOf(agent: string, id: string, path: string): Record<string, unknown> {
  switch (agent) {
    case "claude":
      return path === "" ? {} : { claude: { sessionId: id, sessionFile: path } };
    case "codex":
      return { openai: { threadId: id } };
    default:
      return AGENTS.includes(agent) ? { [badgeOf(agent)]: { sessionId: id } } : {};
  }
}
