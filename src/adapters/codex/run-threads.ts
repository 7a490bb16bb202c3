// Whose doing it is: that of the session's own thread, or of a subagent, which is a thread of its own.
import { type JsonObject, word } from "./native.ts";
import { keep, kept, type OpenCall, type RunState } from "./run-state.ts";

/** Empty for the session itself, the call that started it for a subagent, undefined for anybody else. */
export function parentOf(state: RunState, { threadId }: JsonObject): string | undefined {
  const thread = word(threadId);
  if (thread === undefined || thread === state.thread) return "";
  const known = kept(state.agents, thread);
  if (known !== undefined) return known;
  // A subagent may begin before the call that starts it has ended and named it.
  const starting = Object.values(state.open).find(isSpawn)?.id;
  if (starting !== undefined) keep(state.agents, thread, starting);
  return starting;
}

function isSpawn({ name }: OpenCall): boolean {
  return name.endsWith("spawn_agent");
}

/** The thread that an item says was started by its call. */
export function noteAgent({ agents }: RunState, id: string, item: JsonObject): void {
  const named = item.type === "subAgentActivity" && item.kind === "started" ? [item.agentThreadId] : [];
  const received = item.tool === "spawnAgent" ? item.receiverThreadIds : undefined;
  for (const thread of [...named, ...(Array.isArray(received) ? received : [])])
    if (word(thread) !== undefined) keep(agents, String(thread), id);
}
