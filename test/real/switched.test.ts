// A session that was carried bears the switch in its new store, as a record of that agent's own: the real CLI resumes
// it, tells no model of it, goes on writing, and it is still read where it stands.
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { type Source, sourceOf } from "../../src/session/source.ts";
import { entryText } from "../../src/session/text.ts";
import { visible } from "../../src/transform/visible.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { switched } from "../session/switched.ts";
import { carryInto, proof } from "./carry.ts";
import { openRig, type Rig } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { adapterOf, openFrom } from "./read.ts";
import { layUsedStore } from "./used-store.ts";

/** A word that is in the switches and nowhere else. */
const TRACE = "zebra";

const first = switched("s1", {
  fromModel: `${TRACE}-1`,
  toModel: `${TRACE}-2`,
  reason: `${TRACE} out of quota`,
});
const second = switched("s2", {
  fromModel: `${TRACE}-2`,
  toModel: `${TRACE}-3`,
  warnings: [`${TRACE} dropped`],
  from: `${TRACE}:1`,
  addedLater: { by: [TRACE] },
});

const TIMELINE = [
  user("u1"),
  assistant("a1", { turn: "t1" }),
  first,
  user("u2"),
  call("c1", { turn: "t2" }),
  result("c1"),
  assistant("a2", { turn: "t3" }),
  second,
];

/** What was said, and the switches in between. */
async function told(source: Source): Promise<unknown[]> {
  const entries = await Array.fromAsync(visible(source).entries());
  const wanted = ({ type, injected }: Entry) =>
    type === "switch" || ((type === "user" || type === "assistant") && !injected);
  return entries.filter(wanted).map((entry) => (entry.type === "switch" ? entry.switch : entryText(entry)));
}

const CARRIED = ["says u1", "replies a1", first.switch, "says u2", "replies a2", second.switch];

async function goesOn(rig: Rig, id: string, prompt: string): Promise<void> {
  const turn = await rig.resume(id, prompt, [{ text: `Answer to ${prompt}` }]);
  expect(turn).toMatchObject({ id, exitCode: 0 });
  expect(turn.requests.flatMap(({ violations }) => violations)).toEqual([]);
  const sent = JSON.stringify(turn.requests.map(({ body }) => body));
  for (const text of ["says u1", "replies a1", "says u2", "output of c1", "replies a2", prompt])
    expect(sent).toContain(text);
  expect(sent).not.toMatch(new RegExp(`${TRACE}|Switched from`, "i"));
}

/** `isImported`: into no database yet, which is the CLI's own import to make. */
const STORES: readonly (readonly [CliName, boolean])[] = [
  ...NAMES.map((name) => [name, false] as const),
  ["opencode", true],
];

describe.each(STORES)("in %s, imported: %s", (name, isImported) => {
  const to = adapterOf(name);
  const source = sourceOf(session([...TIMELINE], { title: "Carried twice" }));

  it("the switches are read again after the CLI has gone on twice, and were never sent", async () => {
    const rig = await openRig(name);
    try {
      if (name === "opencode" && !isImported) await layUsedStore(rig.home);
      const { originalId: id, losses } = await carryInto(source, to, rig.home, rig.cwd, rig.cli);
      expect(losses.filter(({ kind }) => kind === "system_dropped")).toEqual([]);
      expect(await told(await openFrom(to, rig.home, id))).toEqual(CARRIED);
      const said: string[] = [];
      for (const prompt of ["And then", "And now"]) {
        await goesOn(rig, id, prompt);
        said.push(prompt, `Answer to ${prompt}`);
        expect(await told(await openFrom(to, rig.home, id))).toEqual([...CARRIED, ...said]);
      }
    } finally {
      await rig.close();
    }
  });

  // The proof runs on the store's own rows; what the CLI's import leaves is looked at above.
  it.skipIf(isImported)("every fact beside them arrives, and nothing else", async () => {
    const found = await proof(source, to);
    expect(found).toMatchObject({ accepted: true, problems: [], unexpected: [], foreign: [], missing: [] });
    expect(found.listed).not.toBe(false);
  });
});
