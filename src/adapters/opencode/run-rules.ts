// Permission rules as OpenCode has them: the last one that fits decides. In the modes in which everything has to be
// asked for, rules of ours stand behind the user's; what the user's own would have said is then found out here.
import type { PermissionMode } from "../../session/events.ts";
import { isObject, objects, text } from "./native.ts";
import type { State } from "./run-state.ts";

export interface Rule {
  permission: string;
  pattern: string;
  action: "allow" | "ask" | "deny";
}

/** What changes something. The last stands for the tools of MCP servers, which are called SERVER_TOOL. */
const CHANGING = ["bash", "edit", "task", "webfetch", "server_tool"];

/**
 * Spelled so that they are keys of their own: a user's `bash` keeps its place and its value beside `bas?`, and stays to
 * be seen in the list of agents (1.18.33).
 */
const OURS = ["bas?", "edi?", "tas?", "webfetc?", "*_*"];

/** Permissions that `*_*` fits and that are no tools: the user's own rules hold for them. */
const NO_TOOLS = new Set(["external_directory", "doom_loop", "plan_enter", "plan_exit"]);

/** For OPENCODE_PERMISSION. */
export function askingPermissions(): Record<string, "ask"> {
  return Object.fromEntries(OURS.map((name) => [name, "ask"]));
}

/** The same for a session. */
export function askingRules(): Rule[] {
  return OURS.map((permission) => ({ permission, pattern: "*", action: "ask" }));
}

export function rulesIn(value: unknown): Rule[] {
  return objects(value).flatMap((rule) => {
    const { permission, pattern, action } = rule;
    const isRule = action === "allow" || action === "ask" || action === "deny";
    if (text(permission) === undefined || text(pattern) === undefined || !isRule) return [];
    return [{ permission: String(permission), pattern: String(pattern), action }];
  });
}

export function isOurs({ permission, action }: Rule): boolean {
  return action === "ask" && OURS.includes(permission);
}

/** Whether an agent of the user's allows changes behind our back: the rules of an agent stand behind all others. */
export function isOverruled(rules: readonly Rule[]): boolean {
  const last = rules.findLastIndex(isOurs);
  return rules
    .slice(last + 1)
    .some(({ permission, action }) => action === "allow" && CHANGING.some((name) => fits(name, permission)));
}

/** In these modes everything that changes something has to be asked for. */
export function isStrict(mode: PermissionMode): boolean {
  return mode === "interactive" || mode === "deny";
}

export interface Asking {
  session: string;
  permission: string;
  patterns: readonly string[];
}

/** What is done about it without the user, who is asked otherwise. */
export function verdictOf(state: State, asking: Asking): "allow" | "ask" | "deny" {
  if (state.mode !== "deny" && ownAction(state.allowed, asking) === "allow") return "allow";
  if (!state.asksMore) return "ask";
  const own = ownAction(rulesFor(state, asking.session), asking);
  const changes = OURS.some((name) => fits(asking.permission, name)) && !NO_TOOLS.has(asking.permission);
  return own === "allow" && changes && isStrict(state.mode) ? "ask" : own;
}

function rulesFor(state: State, session: string): Rule[] {
  const subagent = Object.hasOwn(state.subagents, session) ? state.subagents[session] : undefined;
  const agent = session === state.session ? state.agent : subagent?.agent;
  const ofAgent = agent && Object.hasOwn(state.rules, agent) ? state.rules[agent] : undefined;
  if (!ofAgent) return [];
  return [...ofAgent, ...(session === state.session ? state.sessionRules : (subagent?.rules ?? []))];
}

/** As OpenCode evaluates them: denied if one pattern is, allowed if all are. */
function ownAction(rules: readonly Rule[], { permission, patterns }: Asking): Rule["action"] {
  if (rules.length === 0 || patterns.length === 0) return "ask";
  const actions = patterns.map(
    (pattern) =>
      rules.findLast(
        (rule) => !isOurs(rule) && fits(permission, rule.permission) && fits(pattern, rule.pattern),
      )?.action ?? "ask",
  );
  if (actions.includes("deny")) return "deny";
  return actions.every((action) => action === "allow") ? "allow" : "ask";
}

/** Its wildcards: `*` is any text, `?` one letter, and `git *` also fits `git` alone. */
export function fits(value: string, pattern: string): boolean {
  const [said, wanted] = [value.replaceAll("\\", "/"), pattern.replaceAll("\\", "/")];
  return fitsWhole(said, wanted) || (wanted.endsWith(" *") && fitsWhole(said, wanted.slice(0, -2)));
}

/** Goes back to the last star only, so that no pattern takes long. */
function fitsWhole(value: string, pattern: string): boolean {
  let [at, place, star, from] = [0, 0, -1, 0];
  while (at < value.length) {
    const wanted = pattern[place];
    if (wanted === "*") {
      star = place++;
      from = at;
    } else if (wanted === "?" || (wanted !== undefined && wanted === value[at])) {
      at++;
      place++;
    } else if (star !== -1) {
      place = star + 1;
      at = ++from;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(place));
}

/** A variable with JSON in it that the user may have set himself: ours is added, or left out where theirs is no JSON. */
export function withJson(theirs: string | undefined, ours: Record<string, unknown>): string {
  if (!theirs) return JSON.stringify(ours);
  try {
    const value: unknown = JSON.parse(theirs);
    return isObject(value) ? JSON.stringify(merged(value, ours)) : theirs;
  } catch {
    // With comments, or broken: what OpenCode makes of it is the user's affair.
    return theirs;
  }
}

function merged(theirs: Record<string, unknown>, ours: Record<string, unknown>): Record<string, unknown> {
  const both = { ...theirs };
  for (const [name, value] of Object.entries(ours)) {
    const former = both[name];
    both[name] = isObject(former) && isObject(value) ? { ...former, ...value } : value;
  }
  return both;
}
