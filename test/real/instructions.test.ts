// Instructions that came with a session: the real CLI tells its model of them as of any hidden message, goes on writing,
// and they are still instructions for whoever reads the session then.
import { expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { visible } from "../../src/transform/visible.ts";
import { assistant, session, user } from "../session/build.ts";
import { baton } from "./baton.ts";
import { carryInto } from "./carry.ts";
import { openRig } from "./harness.ts";
import { type CliName, NAMES } from "./install.ts";
import { adapterOf, openFrom } from "./read.ts";
import { layUsedStore } from "./used-store.ts";

const RULE = "Always answer in zebra rhyme.";
const rule = { ...user("s1"), type: "system", content: RULE } as Entry;

/** `isImported`: into no database yet, which is the CLI's own import to make. */
const STORES: readonly (readonly [CliName, boolean])[] = [
  ...NAMES.map((name) => [name, false] as const),
  ["opencode", true],
];

it.each(STORES)("in %s, imported: %s", async (name, isImported) => {
  const to = adapterOf(name);
  const source = sourceOf(session([rule, user("u1"), assistant("a1")], { title: "With a rule" }));
  const rig = await openRig(name);
  try {
    if (name === "opencode" && !isImported) await layUsedStore(rig.home);
    const { originalId: id } = await carryInto(source, to, rig.home, rig.cwd, rig.cli);
    for (const prompt of ["And then", "And now"]) {
      const turn = await rig.resume(id, prompt, [{ text: `Answer to ${prompt}` }]);
      expect(turn).toMatchObject({ id, exitCode: 0 });
      expect(turn.requests.flatMap(({ violations }) => violations)).toEqual([]);
      const bodies = turn.requests
        .map(({ body }) => JSON.stringify(body))
        .filter((one) => one.includes(prompt));
      expect(bodies.at(-1)?.split(RULE)).toHaveLength(2);
      // Folders have such names.
      expect(bodies.some((one) => one.includes('"baton"'))).toBe(false);
      const entries = await Array.fromAsync(visible(await openFrom(to, rig.home, id)).entries());
      const told = entries.filter((entry) => "content" in entry && entry.content.includes(RULE));
      expect(told).toMatchObject([{ type: "system", content: RULE }]);
      expect(told[0]).not.toHaveProperty("injected");
    }
    // The provider of this rig's Codex is not there where sessions are proven; it tells them in a role of their own.
    if (name === "codex") return;
    const { status, result, stderr } = await baton(
      rig.home,
      rig.cwd,
      "verify",
      `${name}:${id}`,
      "--in",
      name,
    );
    expect({ status, stderr, result }).toMatchObject({
      status: 0,
      result: { accepted: true, missing: [], unexpected: [], problems: [], foreign: [] },
    });
  } finally {
    await rig.close();
  }
});
