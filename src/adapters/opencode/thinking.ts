// Thinking with a vendor's signature as OpenCode keeps it: under the name of the library that speaks to the vendor. The
// CLI sends it to the model that the message names, and to every other as plain text (1.18.33).
import { isSameModel } from "../../models/names.ts";
import type { AssistantEntry, Part } from "../../session/session.ts";
import { vendorOf } from "../../session/vendor.ts";
import type { JsonObject } from "./native.ts";
import type { Thoughts } from "./parts.ts";

type Thinking = Extract<Part, { type: "thinking" }>;

/** The vendors whose own providers hand a signature on, and how each is told it. */
const SIGNED: Readonly<Record<string, (part: Thinking) => JsonObject>> = {
  anthropic: ({ hidden, signature }) => (hidden ? { redactedData: signature } : { signature }),
  // Without the id that the vendor gave it, which nobody else records; it is found by its content.
  openai: ({ signature }) => ({ reasoningEncryptedContent: signature }),
};

/**
 * OpenAI's is sealed for one organisation ("organization_id did not match", openai/codex#13724), and whether two agents
 * are signed in to the same one cannot be told. A session with a seal that is not accepted could not go on at all.
 */
export function keepsThinking(entryModel: string, targetModel: string): boolean {
  const [providerID = "", ...model] = targetModel.split("/");
  return providerID === "anthropic" && isOf(entryModel, { providerID, modelID: model.join("/") });
}

/** For a message that OpenCode takes for its own model's; nothing for others. */
export function thoughtsOf(
  entry: AssistantEntry,
  target: { providerID: string; modelID: string },
  start: number,
): Thoughts {
  const sign = isOf(entry.model ?? "", target) ? SIGNED[target.providerID] : undefined;
  return (part) => {
    if (!sign || part.signature === undefined) return undefined;
    const metadata = { [target.providerID]: sign(part) };
    return { type: "reasoning", text: part.text, metadata, time: { start, end: start } };
  };
}

function isOf(model: string, { providerID, modelID }: { providerID: string; modelID: string }): boolean {
  return vendorOf(model) === providerID && isSameModel(model, modelID);
}
