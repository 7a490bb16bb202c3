// What a session takes in a target: by the agent's own count where it tells, and what the target's CLI says by itself.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { sizeOf, weigh } from "../../src/switch/weigh.ts";
import { assistant, user } from "../session/build.ts";

const count = (text: string) => text.length;

async function weighed(input?: number) {
  const reply = { ...assistant("a1"), ...(input !== undefined && { usage: { input, output: 10 } }) };
  const entries: Entry[] = [user("u1"), reply, user("u2")];
  return weigh(
    (async function* () {
      yield* entries;
    })(),
    count,
  );
}

describe("the size of a session", () => {
  it("is an estimate with what the target's CLI says where nobody counted", async () => {
    const weights = await weighed();
    expect(sizeOf(weights, 500, 100)).toEqual({
      total: weights.estimate + 500,
      source: "estimated",
      overhead: 500,
      scale: 1,
    });
  });

  it("is the agent's count, with what came after it", async () => {
    const weights = await weighed(700);
    const after = weights.tokens.at(-1) ?? 0;
    expect(sizeOf(weights, 500)).toMatchObject({ total: 710 + after, source: "recorded" });
    expect(sizeOf(weights, 500, 500)).toMatchObject({ total: 710 + after });
  });

  it("grows by what the target's CLI says more than the source's, and shrinks by nothing", async () => {
    const weights = await weighed(700);
    const after = weights.tokens.at(-1) ?? 0;
    expect(sizeOf(weights, 500, 100)).toMatchObject({ total: 1110 + after, overhead: 500 });
    expect(sizeOf(weights, 500, 900)).toMatchObject({ total: 710 + after });
  });
});
