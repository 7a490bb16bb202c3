// What steers a run over its standard input: one JSON object a line (`--input-format stream-json`).

import { idNamed } from "../../models/names.ts";
import { newLineSplitter } from "../../run/lines.ts";
import type { LiveRun } from "../../run/live.ts";
import { type Steering, steeringSchema } from "../../session/events.ts";
import { jsonIn } from "../../session/json.ts";

export interface Steered {
  run: LiveRun;
  onPrompt(text: string): void;
  /** A line that means nothing: what is wrong with it, in a sentence. */
  onMistake(sentence: string): void;
  /** No more lines come. */
  onEnd(): void;
}

/** Until the input ends, which ends the run once its prompts are answered. */
export async function steer(input: NodeJS.ReadableStream, steered: Steered): Promise<void> {
  const lines = newLineSplitter(obedience(steered));
  for await (const chunk of input) lines.push(Buffer.from(chunk));
  lines.end();
  steered.onEnd();
  steered.run.unattended();
  steered.run.finish();
}

const KNOWN = "prompt, user, approval, interrupt, set_model, set_permission_mode, end";

function obedience({ run, onPrompt, onMistake }: Steered): (line: string) => void {
  let isEnded = false;
  const prompt = (text: string) => {
    if (isEnded) return "A prompt came after the end of the prompts.";
    if (text.trim() === "") return "A prompt holds no text.";
    onPrompt(text);
    return undefined;
  };
  return (line) => {
    const value = jsonIn(line);
    const parsed = steeringSchema.safeParse(value);
    if (!parsed.success) {
      const why = value === undefined ? "it is no JSON" : (parsed.error.issues[0]?.message ?? "unknown");
      const beginning = line.slice(0, 120);
      onMistake(`A line of the input was not understood (${why}): ${beginning}. Known types: ${KNOWN}.`);
      return;
    }
    const problem = act(parsed.data, run, prompt);
    isEnded ||= parsed.data.type === "end";
    if (problem !== undefined) onMistake(problem);
  };
}

type Prompt = (text: string) => string | undefined;

function act(steering: Steering, run: LiveRun, prompt: Prompt): string | undefined {
  switch (steering.type) {
    case "prompt":
      return prompt(steering.text);
    case "user":
      return prompt(textOf(steering.message.content));
    case "approval": {
      const { id, decision, message, input, answers } = steering;
      const isKnown = run.decide(id, {
        allow: decision !== "deny",
        ...(decision === "allow_session" && { always: true }),
        ...(message !== undefined && { message }),
        ...(input !== undefined && { input }),
        ...(answers !== undefined && { answers }),
      });
      return isKnown
        ? undefined
        : `Nobody waits for the approval ${id}: it was answered already, or never asked.`;
    }
    case "interrupt":
      run.interrupt();
      return undefined;
    case "set_model": {
      const model = steering.model.trim();
      if (model === "") return "set_model names no model.";
      run.setModel(idNamed(model));
      return undefined;
    }
    case "set_permission_mode":
      run.setMode(steering.permission_mode);
      return undefined;
    case "end":
      run.finish();
      return undefined;
  }
}

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((block) => (typeof block?.text === "string" ? [block.text] : [])).join("\n");
}
