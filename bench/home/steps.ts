// What happens in a session, before any agent writes it down in its own way: prompts, thinking, replies, calls with
// their output, in the shares in which transcripts have them.
import { code, log, type Project, prose } from "./project.ts";
import { base64, pick, type Random, whole } from "./random.ts";
import { word } from "./words.ts";

export type Call = { type: "call"; output: string; isError: boolean } & (
  | { tool: "read"; path: string }
  | { tool: "edit"; path: string; before: string; after: string }
  | { tool: "write"; path: string; content: string }
  | { tool: "bash"; command: string; description: string }
  | { tool: "search"; pattern: string }
);

export type Step =
  | { type: "prompt"; text: string; image?: string }
  /** A new request to the model: what follows up to the next one is its answer. */
  | { type: "request" }
  | { type: "thinking" | "reply"; text: string }
  | Call;

/** Goes on for ever; who writes stops when the session is long enough. */
export function* steps(random: Random, project: Project, bytes: number): Generator<Step> {
  for (;;) {
    const image =
      random() < 0.015 ? base64(random, Math.min(whole(random, 20_000, 160_000), bytes / 3)) : undefined;
    yield { type: "prompt", text: prose(random, project, promptLength(random)), ...(image && { image }) };
    const requests = whole(random, 1, 9);
    for (let left = requests; left > 0; left--) {
      yield { type: "request" };
      if (random() < 0.25) yield { type: "thinking", text: prose(random, project, whole(random, 100, 1600)) };
      if (random() < 0.5) yield { type: "reply", text: prose(random, project, whole(random, 60, 500)) };
      yield call(random, project, bytes);
    }
    yield { type: "request" };
    yield { type: "reply", text: prose(random, project, whole(random, 200, 2500)) };
  }
}

/** Mostly a sentence or two; now and then something is pasted. */
function promptLength(random: Random): number {
  return random() < 0.05 ? whole(random, 2000, 12_000) : whole(random, 20, 500);
}

function call(random: Random, project: Project, bytes: number): Call {
  const isError = random() < 0.04;
  const path = `${project.path}/${pick(random, project.files)}`;
  const length = Math.min(outputLength(random), Math.max(400, bytes / 8));
  const base = { type: "call", isError } as const;
  const roll = random();
  if (roll < 0.3) return { ...base, tool: "read", path, output: code(random, project, length) };
  if (roll < 0.5) {
    const before = code(random, project, whole(random, 40, 900));
    const after = `${before.slice(0, before.length / 2)}\n${code(random, project, whole(random, 40, 700))}`;
    return {
      ...base,
      tool: "edit",
      path,
      before,
      after,
      output: `The file ${path} has been updated successfully.`,
    };
  }
  if (roll < 0.56) {
    const content = code(random, project, Math.min(length, 12_000));
    return { ...base, tool: "write", path, content, output: `File created successfully at: ${path}` };
  }
  if (roll < 0.68)
    return {
      ...base,
      tool: "search",
      pattern: pick(random, project.names),
      output: log(random, project, length / 2),
    };
  const command = `${pick(random, ["npm test --", "git diff", "rg -n", "cargo build", "python -m", "cat", "ls -la"])} ${pick(random, project.files)} | grep ${word(random)}`;
  return {
    ...base,
    tool: "bash",
    command,
    description: prose(random, project, 20),
    output: log(random, project, length),
  };
}

/** Mostly a kilobyte or two; one in two hundred is a whole log. */
function outputLength(random: Random): number {
  const roll = random();
  if (roll < 0.004) return whole(random, 100_000, 900_000);
  if (roll < 0.1) return whole(random, 8000, 30_000);
  return whole(random, 100, 4000);
}
