// Problems that only the order of a whole session shows stay listed, and are found, while the session grows.
import { describe, expect, it } from "vitest";
import { claudePath, newHome, prompt, reply } from "./usage-home.ts";

const ORPHAN = "result_orphaned: no call with its id was recorded";
const DUPLICATE = "id_duplicate: the earlier one is not part of the current thread";

/** A line with a result of this call. */
const result = (number: number, call: string) => ({
  ...prompt(1, number, number),
  message: { role: "user", content: [{ type: "tool_result", tool_use_id: call, content: "x" }] },
});

const call = (number: number, id: string) => {
  const line = reply({ session: 1, number, seconds: number });
  return {
    ...line,
    message: { ...line.message, content: [{ type: "tool_use", id, name: "Bash", input: {} }] },
  };
};

/** What `list --errors` says after each step of a session that grows. */
async function problemsAfter(...steps: (readonly object[])[]): Promise<string[][]> {
  const home = newHome();
  const found: string[][] = [];
  home.write(claudePath(1), []);
  for (const lines of steps) {
    home.append(claudePath(1), lines);
    found.push((await home.list({ errors: true })).flatMap(({ problems }) => problems));
  }
  return found;
}

describe("a session that grows", () => {
  it("keeps a result without a call", async () => {
    const steps = [[prompt(1, 1, 1), result(2, "toolu_nowhere")], [prompt(1, 3, 3)], [prompt(1, 4, 4)]];
    expect(await problemsAfter(...steps)).toEqual([[ORPHAN], [ORPHAN], [ORPHAN]]);
  });

  it("keeps it also when it is too long to be looked at as a whole each time", async () => {
    const long = { ...prompt(1, 1, 1), message: { role: "user", content: "word ".repeat(1 << 20) } };
    const steps = [[long, result(2, "toolu_nowhere")], [prompt(1, 3, 3)], [prompt(1, 4, 4)]];
    expect(await problemsAfter(...steps)).toEqual([[ORPHAN], [ORPHAN], [ORPHAN]]);
  });

  it("has a result without a call from when it comes", async () => {
    const steps = [[prompt(1, 1, 1)], [result(2, "toolu_nowhere")], [prompt(1, 3, 3)]];
    expect(await problemsAfter(...steps)).toEqual([[], [ORPHAN], [ORPHAN]]);
  });

  it("has ids that come twice from when its beginning is written once more", async () => {
    const steps = [[prompt(1, 1, 1), prompt(1, 2, 2)], [prompt(1, 1, 1), prompt(1, 2, 2)], [prompt(1, 3, 3)]];
    expect(await problemsAfter(...steps)).toEqual([[], [DUPLICATE], [DUPLICATE]]);
  });

  it("has no problem where a result comes later than its call", async () => {
    const steps = [[prompt(1, 1, 1), call(2, "toolu_one")], [result(3, "toolu_one")], [prompt(1, 4, 4)]];
    expect(await problemsAfter(...steps)).toEqual([[], [], []]);
  });
});
