// Messages as `opencode import` takes them: it refuses those without fields that earlier versions did not write.
import { isObject, type JsonObject, word } from "./native.ts";

export interface Importable {
  info: JsonObject;
  parts: JsonObject[];
}

/** Who answers, with which model. */
interface Answering {
  agent: unknown;
  model: JsonObject;
}

const NOBODY: Answering = { agent: "build", model: { providerID: "unknown", modelID: "unknown" } };

/** In order. A prompt that names no model waits for the reply to it, which does. */
export function newImport() {
  let waiting: Importable[] = [];
  let answering = NOBODY;
  let prompt: unknown;

  const released = (): Importable[] => {
    const ready = waiting.map(({ info, parts }) => ({ info: { ...answering, ...info }, parts }));
    waiting = [];
    return ready;
  };

  return {
    add({ info, parts }: Importable): Importable[] {
      if (info.role === "user") {
        prompt = info.id;
        if (waiting.length > 0 || !isObject(info.model) || word(info.agent) === undefined)
          waiting.push({ info, parts });
        else return [{ info, parts }];
        return [];
      }
      answering = answeringIn(info) ?? answering;
      return [...released(), { info: completed(info, prompt), parts }];
    },
    finish: released,
  };
}

function answeringIn({ agent, mode, providerID, modelID }: JsonObject): Answering | undefined {
  if (word(providerID) === undefined || word(modelID) === undefined) return undefined;
  return { agent: agent ?? mode ?? NOBODY.agent, model: { providerID, modelID } };
}

function completed(info: JsonObject, prompt: unknown): JsonObject {
  const mode = word(info.mode) ?? word(info.agent) ?? NOBODY.agent;
  const isAnswer = word(info.parentID)?.startsWith("msg") ?? false;
  return {
    mode,
    agent: mode,
    path: { cwd: "/", root: "/" },
    cost: 0,
    tokens: { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } },
    ...info,
    ...(!isAnswer && { parentID: prompt ?? info.id }),
  };
}
