// What the doctor says about versions of a CLI: the ones that a real run has proven, and the others.
import { afterAll, expect, it } from "vitest";
import { newPlace, run } from "./transcript.ts";

const place = newPlace();
afterAll(() => place.remove());

const agentIn = (stdout: string, name: string) =>
  JSON.parse(stdout).agents.find(({ agent }: { agent: string }) => agent === name);

it("a version that was proven is said to be", () => {
  expect(run(place, "baton doctor").stdout).toContain(
    "Codex CLI 0.166.0\n  installed in " +
      `${place.root}/agents/codex\n  writing back is proven for this version`,
  );
  expect(agentIn(run(place, "baton doctor --json").stdout, "codex")).toMatchObject({ proven: true });
});

it("of any other it says so, and what to do", () => {
  run(place, "sed -i 's/0\\.166\\.0/0.999.1/' $ROOT/agents/codex");
  const { stdout, status } = run(place, "baton doctor");
  expect(stdout).toContain(
    "writing back is not proven for 0.999.1, only for 0.166.0: `baton verify SESSION --in codex` proves it here",
  );
  expect(status).toBe(0);
  expect(agentIn(run(place, "baton doctor --json").stdout, "codex")).toMatchObject({
    installed: { version: "0.999.1" },
    proven: false,
  });
});
