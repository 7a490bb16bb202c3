// What a CLI tells its model by itself takes about as many tokens as its adapter says.
import { expect, it } from "vitest";
import { countTokens } from "../../src/models/tokens.ts";
import { openRig } from "./harness.ts";
import { NAMES } from "./install.ts";
import { adapterOf } from "./read.ts";

/** The fields of all APIs that a model reads; the others set it up. */
const READ = ["system", "systemInstruction", "instructions", "messages", "contents", "input", "tools"];
const PROMPT = "Hello";

it.each(NAMES)("%s", async (name) => {
  const rig = await openRig(name);
  try {
    const { requests } = await rig.start(PROMPT, [{ text: "Hello to you." }]);
    expect(requests).toHaveLength(1);
    const body = requests[0]?.body as Record<string, unknown>;
    const texts = READ.map((field) => JSON.stringify(body[field] ?? ""));
    const measured = texts.reduce((sum, text) => sum + countTokens(text), -countTokens(PROMPT));
    const said = adapterOf(name).ownTokens ?? 0;
    expect(said / measured, `${measured} measured`).toBeGreaterThan(0.75);
    expect(said / measured, `${measured} measured`).toBeLessThan(1.25);
  } finally {
    await rig.close();
  }
});
