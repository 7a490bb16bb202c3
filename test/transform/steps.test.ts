// The steps of a session: a prompt, a message, a call with its result, each once and in order.

import { expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { stepsOf } from "../../src/transform/steps.ts";
import { visiblePositions } from "../../src/transform/visible.ts";
import { fc } from "../property.ts";
import { coreSession } from "../session/arbitrary.ts";
import { assistant, call, compaction, result, session, user } from "../session/build.ts";

const steps = (timeline: Entry[], visible = false) => {
  const found = stepsOf(sourceOf(session(timeline)).skeleton, { visible });
  return Array.from({ length: found.length }, (_, step) => {
    const ids = found.positions(step).map((at) => timeline[at]?.id);
    return `${found.kind(step)} ${ids.join("+")} < ${found.prompt(step)}`;
  });
};

it("a call stands with its result, also where several were called at once", () => {
  expect(
    steps([
      user("u0", { injected: true }),
      user("u1"),
      assistant("a1", { turn: "t" }),
      call("c1", { turn: "t" }),
      call("c2", { turn: "t" }),
      result("c2"),
      result("c1"),
      user("u2"),
      call("c3"),
    ]),
  ).toEqual([
    "aside u0 < -1",
    "prompt u1 < 1",
    "reply a1 < 1",
    "call c1+r1 < 1",
    "call c2+r2 < 1",
    "prompt u2 < 5",
    "call c3 < 5",
  ]);
});

it("what nobody said stands together, and a compaction alone", () => {
  const note = { ...assistant("n1"), note: true } as Entry;
  const timeline = [
    user("u1"),
    user("i1", { injected: true }),
    note,
    compaction("k1"),
    user("u2"),
    assistant("a2"),
  ];
  expect(steps(timeline)).toEqual([
    "prompt u1 < 0",
    "aside i1+n1 < 0",
    "compaction k1 < 0",
    "prompt u2 < 3",
    "reply a2 < 3",
  ]);
  expect(steps(timeline, true)).toEqual(["compaction k1 < -1", "prompt u2 < 1", "reply a2 < 1"]);
});

it("an entry on another branch is in no step", () => {
  const source = sourceOf(
    session([user("u1"), assistant("a1"), user("u2"), user("u3", { parent: "a1" })], { head: "u3" }),
  );
  const found = stepsOf(source.skeleton, { visible: false });
  expect([0, 1, 2, 3].map((at) => found.at(at))).toEqual([0, 1, -1, 2]);
  expect(found.prompts).toEqual([0, 2]);
});

it("every entry of the branch is in exactly one step", () => {
  fc.assert(
    fc.property(coreSession, (made) => {
      const { skeleton } = sourceOf(made);
      const found = stepsOf(skeleton, { visible: false });
      const all = Array.from({ length: found.length }, (_, step) => found.positions(step)).flat();
      const shown = visiblePositions(skeleton, { history: "full" });
      expect(new Set(all).size).toBe(all.length);
      expect(shown.filter((at) => !all.includes(at))).toEqual([]);
      for (let step = 0; step < found.length; step++)
        for (const at of found.positions(step)) expect(found.at(at)).toBe(step);
    }),
  );
});
