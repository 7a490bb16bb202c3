// What steers a run over its standard input: one JSON object a line (`--input-format stream-json`).

import { newLineSplitter } from "../../run/lines.ts";
import type { LiveRun } from "../../run/live.ts";
import { type Steering, steeringSchema } from "../../session/events.ts";
import { jsonIn } from "../../session/json.ts";

export interface Steered {
  run: LiveRun;
  onPrompt(text: string): void;
  /** A line that means nothing: what is wrong with it, in a sentence. */
  onMistake(sentence: string): void;
}

/** Until the input ends, which ends the run once its prompts are answered. */
export async function steer(input: NodeJS.ReadableStream, steered: Steered): Promise<void> {
  const lines = newLineSplitter((line) => obey(line, steered));
  for await (const chunk of input) lines.push(Buffer.from(chunk));
  lines.end();
  steered.run.unattended();
  steered.run.finish();
}

function obey(line: string, { run, onPrompt, onMistake }: Steered): void {
  const value = jsonIn(line);
  const parsed = steeringSchema.safeParse(value);
  if (!parsed.success) {
    const known = "prompt, user, approval, interrupt, set_model, set_permission_mode, end";
    const why = value === undefined ? "it is no JSON" : (parsed.error.issues[0]?.message ?? "unknown");
    onMistake(
      `A line of the input was not understood (${why}): ${line.slice(0, 120)}. Known types: ${known}.`,
    );
    return;
  }
  const problem = act(parsed.data, run, onPrompt);
  if (problem !== undefined) onMistake(problem);
}

function act(steering: Steering, run: LiveRun, onPrompt: (text: string) => void): string | undefined {
  switch (steering.type) {
    case "prompt":
      onPrompt(steering.text);
      return undefined;
    case "user": {
      const text = textOf(steering.message.content);
      if (text === "") return "A message of the user holds no text.";
      onPrompt(text);
      return undefined;
    }
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
    case "set_model":
      run.setModel(steering.model);
      return undefined;
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
