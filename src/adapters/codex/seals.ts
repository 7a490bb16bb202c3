// Reasoning that bears the vendor's seal: as items, and what of another agent's is one.
import { isSameModel } from "../../models/names.ts";
import type { Part } from "../../session/session.ts";
import { vendorOf } from "../../session/vendor.ts";
import type { Target } from "../adapter.ts";
import type { JsonObject } from "./native.ts";

/** Whether a model of OpenAI's wrote it that the thread goes on with. */
export function isNextModel(model: string | undefined, { model: asked, configuration }: Target): boolean {
  const next = asked ?? configuration.model;
  return (
    model !== undefined && next !== undefined && vendorOf(model) === "openai" && isSameModel(model, next)
  );
}

/** Others keep each piece of a summary apart, all under one seal; here they are one item. */
export function inOneSeal(parts: readonly Part[]): Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const isSame = last?.type === "thinking" && part.type === "thinking" && isSealed(last, part);
    if (!isSame) joined.push(part);
    else joined[joined.length - 1] = { ...last, text: [last.text, part.text].filter(Boolean).join("\n\n") };
  }
  return joined;
}

/** For the model, and for the view. */
export function reasoningOf(
  thought: string,
  seal: string,
  id: string,
): { item: JsonObject; shown: JsonObject } {
  const texts = thought === "" ? [] : [thought];
  const summary = texts.map((text) => ({ type: "summary_text", text }));
  return {
    item: { type: "reasoning", summary, content: null, encrypted_content: seal },
    shown: { type: "Reasoning", id, summary_text: texts, raw_content: [] },
  };
}

type Thinking = Extract<Part, { type: "thinking" }>;

function isSealed(one: Thinking, other: Thinking): boolean {
  return one.signature !== undefined && one.signature === other.signature;
}
