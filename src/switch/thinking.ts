// What becomes of a model's thinking when another model goes on. It is bound to the model that wrote it: a vendor
// refuses a block that this very model has not signed, so it stays as it is for the same model only.
import type { Adapter } from "../adapters/adapter.ts";
import { plainId } from "../models/names.ts";
import type { Part } from "../session/session.ts";

export type ThinkingPolicy = "drop" | "convert" | "ask";

export interface Thinker {
  /** The model that goes on. */
  model: string;
  /** Whether the target's store and CLI hand on what this model has signed. */
  keeps?(model: string): boolean;
}

export function thinkerOf(to: Pick<Adapter, "keepsThinking">, model: string): Thinker {
  return { model, keeps: (from) => to.keepsThinking?.(from, model) ?? false };
}

/** Whether it stays thinking: signed by the very model that goes on, in an agent that hands the signature on. */
export function isKept(
  { signature }: Pick<Extract<Part, { type: "thinking" }>, "signature">,
  from: string | undefined,
  to: Thinker,
): boolean {
  if (signature === undefined || from === undefined) return false;
  return plainId(from) === plainId(to.model) && (to.keeps?.(from) ?? false);
}

/** Thinking as text that says what it is. */
export function asText(thinking: string): string {
  return `[Previous reasoning]\n${thinking}\n[End reasoning]`;
}
