// What a trajectory says beside its steps: kept where a session has a place for it, reported where it has none.
import { type Loss, loss } from "../session/losses.ts";
import type { Header, Session } from "../session/session.ts";
import { isObject, type Json } from "./check.ts";
import { filled } from "./incoming.ts";

/** The settings that the writer recorded, and whatever else the format knows about the session as a whole. */
export function configOf(value: Json, agent: Json): Json {
  const extra = isObject(agent.extra) ? agent.extra : {};
  const { config, ...others } = extra;
  const foreign = Object.fromEntries(
    Object.entries(objectIn(value.extra)).filter(([name]) => !FACTS.has(name)),
  );
  const final = objectIn(objectIn(value.final_metrics).extra);
  return {
    ...objectIn(config),
    agent: { name: agent.name, version: agent.version, ...(isFilled(others) && { extra: others }) },
    ...(agent.tool_definitions !== undefined && { tool_definitions: agent.tool_definitions }),
    ...(value.notes !== undefined && { notes: value.notes }),
    ...(isFilled(foreign) && { extra: foreign }),
    ...(isFilled(final) && { final_metrics: { extra: final } }),
    ...(value.continued_trajectory_ref !== undefined && {
      continued_trajectory_ref: value.continued_trajectory_ref,
    }),
  };
}

export function gitIn(value: unknown): Header["project"]["git"] {
  if (!isObject(value)) return undefined;
  const [branch, commit, remote] = [filled(value.branch), filled(value.commit), filled(value.remote)];
  return {
    ...(branch !== undefined && { branch }),
    ...(commit !== undefined && { commit }),
    ...(remote !== undefined && { remote }),
  };
}

/** Links from the calls to the subagents that they started, as far as those are in the file. */
export function subagentLinks(value: Json, children: readonly Session[]): NonNullable<Header["links"]> {
  const trajectories = listIn(value.subagent_trajectories);
  return resultsIn(value).flatMap((result) => {
    const entry = filled(result.source_call_id);
    return listIn(result.subagent_trajectory_ref).flatMap((ref) => {
      const at = trajectories.findIndex((one) => isMeant(one, ref));
      const source = children[at]?.source;
      if (!source || entry === undefined) return [];
      return [{ type: "subagent" as const, session: `${source.cli}:${source.originalId ?? ""}`, entry }];
    });
  });
}

function isMeant(trajectory: Json, ref: Json): boolean {
  return ref.trajectory_id === undefined
    ? ref.session_id !== undefined && ref.session_id === trajectory.session_id
    : ref.trajectory_id === trajectory.trajectory_id;
}

/** What stands at a step or a result and has no place in an entry. */
export function unplaced(value: Json): Loss[] {
  const found = listIn(value.steps).flatMap((step) => {
    const { prompt_token_ids, completion_token_ids, logprobs } = objectIn(step.metrics);
    const gone = {
      reasoning_effort: step.reasoning_effort,
      prompt_token_ids,
      completion_token_ids,
      logprobs,
    };
    const names = Object.entries(gone).flatMap(([name, one]) => (one === undefined ? [] : [name]));
    const { id: own, ...extra } = objectIn(step.extra);
    names.push(...Object.keys(extra).flatMap((name) => (OWN.has(name) ? [] : [`extra.${name}`])));
    if (names.length === 0) return [];
    const entry = filled(own) ?? `step-${String(step.step_id)}`;
    return [loss("facts_dropped", { entry }, names.join(", "))];
  });
  const trajectories = listIn(value.subagent_trajectories);
  const elsewhere = resultsIn(value).flatMap((result) =>
    listIn(result.subagent_trajectory_ref).filter((ref) => !trajectories.some((one) => isMeant(one, ref))),
  );
  const refs = elsewhere.map((ref) =>
    loss("links_dropped", {}, `a subagent elsewhere: ${JSON.stringify(ref)}`),
  );
  return [...found, ...refs];
}

/** What our own writer puts into a trajectory's `extra`. */
const FACTS = new Set("cwd git title summary created updated provider".split(" "));

/** What our own writer puts into a step's `extra`. */
const OWN = new Set("injected note subtype kind keeps replaced switch compaction".split(" "));

function resultsIn(value: Json): Json[] {
  return listIn(value.steps).flatMap((step) => listIn(objectIn(step.observation).results));
}

function listIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function objectIn(value: unknown): Json {
  return isObject(value) ? value : {};
}

function isFilled(value: Json): boolean {
  return Object.keys(value).length > 0;
}
