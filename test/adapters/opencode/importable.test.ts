// What an import demands and earlier versions did not write is filled in; everything else stays as it was.
import { expect, it } from "vitest";
import { newImport } from "../../../src/adapters/opencode/importable.ts";

const prompt = (id: string, more = {}) => ({ info: { id, role: "user", ...more }, parts: [] });
const reply = (id: string, more = {}) => ({
  info: { id, role: "assistant", mode: "plan", providerID: "p", modelID: "m", ...more },
  parts: [],
});

it("a prompt names the model that answered it, a reply the prompt", () => {
  const { add, finish } = newImport();
  expect(add(prompt("msg_1"))).toEqual([]);
  const [asked, answered] = add(reply("msg_2", { extra: 1 }));
  expect(asked?.info).toEqual({
    id: "msg_1",
    role: "user",
    agent: "plan",
    model: { providerID: "p", modelID: "m" },
  });
  expect(answered?.info).toMatchObject({ extra: 1, parentID: "msg_1", mode: "plan", agent: "plan", cost: 0 });
  add(prompt("msg_3"));
  expect(finish()).toMatchObject([{ info: { id: "msg_3", model: { modelID: "m" } } }]);
});

it("what is whole stays to the letter and in order", () => {
  const model = { providerID: "other", modelID: "one" };
  const whole = prompt("msg_1", { agent: "build", model });
  const answer = reply("msg_2", {
    parentID: "msg_1",
    agent: "build",
    path: { cwd: "/p", root: "/p" },
    cost: 1,
    tokens: { input: 1 },
  });
  const { add, finish } = newImport();
  expect(add(whole)).toEqual([whole]);
  expect(add(answer)).toEqual([answer]);
  expect(add(prompt("msg_3"))).toEqual([]);
  expect(add(whole)).toEqual([]);
  expect(finish().map(({ info }) => info.id)).toEqual(["msg_3", "msg_1"]);
});
