// Thinking that comes back to the original stays what it is for the very model that signed it, as in a switch.
import { expect, it } from "vitest";
import { assistant, user } from "../session/build.ts";
import { replied, text } from "./featured.ts";
import { entriesOf, over, partsIn, story } from "./over.ts";
import { begun, goesOn, named, newWorld, returned } from "./world.ts";

const OPUS = "claude-opus-4-5-20251101";
const SONNET = "claude-sonnet-4-5-20250929";
const THOUGHT = { type: "thinking", text: "hm", signature: "c2lnbmVk" } as const;

/** An original of one model, and a thought that another one signed elsewhere. */
async function thoughtOf(own: string, other: string) {
  const world = await newWorld();
  const a = await begun(world, named("claude"), [user("u1"), { ...assistant("a1"), model: own }]);
  const { there } = await over(world, a, "opencode", { model: `anthropic/${other}` });
  await goesOn(world, there, [user("u2"), replied("a2", [THOUGHT, text("done")], { model: other })]);
  expect(partsIn(await entriesOf(world, there), "thinking")).toEqual([expect.objectContaining(THOUGHT)]);
  return { world, a, there };
}

it("of the model that goes on stays signed, as a switch keeps it", async () => {
  const { world, a, there } = await thoughtOf(OPUS, OPUS);
  const switched = await over(world, there, "claude", { model: OPUS });
  const back = await returned(world, there);
  expect(back).toMatchObject({ originalId: a.id, isExtended: true, warnings: [] });
  expect(back.losses.filter(({ kind }) => kind.startsWith("thinking_"))).toEqual([]);
  for (const one of [switched.there, a])
    expect(partsIn(await entriesOf(world, one), "thinking")).toEqual([expect.objectContaining(THOUGHT)]);
});

it("of another model is dropped, or becomes text", async () => {
  for (const thinking of ["drop", "convert"] as const) {
    const { world, a, there } = await thoughtOf(SONNET, OPUS);
    const { losses } = await returned(world, there, { thinking });
    expect(losses.map(({ kind }) => kind)).toContain(
      `thinking_${thinking === "drop" ? "dropped" : "converted"}`,
    );
    const entries = await entriesOf(world, a);
    expect(partsIn(entries, "thinking")).toEqual([]);
    const words = story(entries).join("\n");
    expect(words).toContain("done");
    expect(words.includes("[Previous reasoning]\nhm\n[End reasoning]")).toBe(thinking === "convert");
  }
});

it("stays signed in a new session as well, where the original has none to add it to", async () => {
  const { world, a, there } = await thoughtOf(OPUS, OPUS);
  const claude = { ...named("claude"), canExtend: async () => false };
  const back = await returned(world, there, { adapters: [claude, named("opencode")] });
  expect(back.originalId).not.toBe(a.id);
  const entries = await entriesOf(world, back.there);
  expect(partsIn(entries, "thinking")).toEqual([expect.objectContaining(THOUGHT)]);
});
