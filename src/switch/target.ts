// The agent and the model that go on with a session, and what is known of them before anything is written.
import type { Account, Adapter, Configuration, Home, Limit } from "../adapters/adapter.ts";
import { aliased, defaultModel } from "../models/defaults.ts";
import { factsOf, type ModelFacts } from "../models/facts.ts";
import type { Overrides } from "../models/overrides.ts";

export interface SwitchTarget {
  agent: Adapter;
  model: ModelFacts;
  /** How the model came to be chosen. */
  chosen: "named" | "configured" | "default";
  configuration: Configuration;
  /** The CLI that is there; undefined = none. */
  installed?: { version: string; path: string } | undefined;
  account?: Account | undefined;
  limit?: Limit | undefined;
}

export interface TargetRequest {
  to: Adapter;
  home: Home;
  /** The folder that the session goes on in. */
  project: string;
  model?: string;
  overrides?: Overrides;
  now: Date;
  /** Whether the agent itself is looked at: its CLI, its account, its limits. */
  asks?: boolean;
  installed?: SwitchTarget["installed"];
}

/** What sessions say where nobody knows the model. */
const UNKNOWN = "unknown";

/** For a session that the agent has already: where nothing is set, it goes on with the session's own model. */
export async function ownTarget(request: TargetRequest, own: string | undefined): Promise<SwitchTarget> {
  const target = await switchTarget(request);
  const isSet = target.chosen !== "default" || target.configuration.lastModel !== undefined;
  return isSet || own === undefined || own === UNKNOWN ? target : switchTarget({ ...request, model: own });
}

export async function switchTarget(request: TargetRequest): Promise<SwitchTarget> {
  const { to, home, now, overrides } = request;
  const configuration = await to.configuration(home, request.project);
  const named =
    request.model ??
    configuration.model ??
    configuration.lastModel ??
    to.defaultModel ??
    defaultModel(to.provider);
  const chosen = request.model !== undefined ? "named" : configuration.model ? "configured" : "default";
  const facts = factsOf(aliased(named ?? UNKNOWN), overrides);
  const window = configuration.window ?? Math.min(facts.window, to.windowOf?.(facts.id) ?? facts.window);
  const name = named === undefined ? `the default model of ${to.label}` : facts.name;
  const model = { ...facts, name, window };
  const target: SwitchTarget = { agent: to, model, chosen, configuration };
  if (!request.asks) return { ...target, installed: request.installed };
  const [account, limit] = await Promise.all([to.account?.(home), to.limit?.(home, now)]);
  return { ...target, installed: request.installed, account, limit };
}
