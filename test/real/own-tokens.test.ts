// What a CLI tells its model by itself takes about as many tokens as its adapter says. To some models it says more.
import { expect, it } from "vitest";
import { countTokens } from "../../src/models/tokens.ts";
import { openRig, type Rig, type Turn } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { adapterOf } from "./read.ts";

/** The fields of all APIs that a model reads; the others set it up. */
const READ = ["system", "systemInstruction", "instructions", "messages", "contents", "input", "tools"];
const PROMPT = "Hello";

/** Starts a session with each of these models. */
const STARTS: Readonly<Record<CliName, (rig: Rig, model: string) => Promise<Turn>>> = {
  claude: (rig, model) => rig.run(["--model", model, ...rig.driver.start(PROMPT)]),
  async codex(rig, model) {
    await rig.configure((config) => config.replace(/^model = .*$/m, `model = "${model}"`));
    return rig.start(PROMPT, []);
  },
  // The last one that is named counts.
  gemini: (rig, model) => rig.run([...rig.driver.start(PROMPT).slice(2), "-m", model]),
  async opencode(rig, model) {
    await rig.configure((config) =>
      config
        .replace(/"models":\{"[^"]+"/, `"models":{"${model}"`)
        .replaceAll(/"sim\/[^"]+"/g, `"sim/${model}"`),
    );
    return rig.start(PROMPT, []);
  },
};

const MODELS: Readonly<Record<CliName, readonly string[]>> = {
  claude: ["claude-opus-5-5", "claude-sonnet-5"],
  codex: ["gpt-5.5", "gpt-6-sol"],
  gemini: ["gemini-2.5-pro", "gemini-3.8-flash"],
  opencode: ["claude-sonnet-5", "gemini-2.5-pro"],
};

async function measured(rig: Rig, model: string): Promise<number> {
  const { requests } = await STARTS[rig.name](rig, model);
  expect(requests.map(({ request }) => request.model)).toEqual([model]);
  const body = requests[0]?.body as Record<string, unknown>;
  const texts = READ.map((field) => JSON.stringify(body[field] ?? ""));
  return texts.reduce((sum, text) => sum + countTokens(text), -countTokens(PROMPT));
}

it.each(NAMES)("%s", async (name) => {
  const rig = await openRig(name);
  try {
    const all: number[] = [];
    for (const model of MODELS[name]) all.push(await measured(rig, model));
    const share = (adapterOf(name).ownTokens ?? 0) / Math.max(...all);
    expect(share, `${all.join(", ")} measured`).toBeGreaterThan(0.75);
    expect(share, `${all.join(", ")} measured`).toBeLessThan(1.25);
  } finally {
    await rig.close();
  }
});
