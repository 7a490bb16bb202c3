// What is recorded of a switch is what was shown of the content: in the target's session, the journal, and the
// conversation's files.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { conversationFiles } from "../../src/storage/conversations.ts";
import { operations } from "../../src/storage/operations.ts";
import { lineageOf } from "../../src/switch/lineage.ts";
import { conversationId } from "../../src/switch/record.ts";
import type { SwitchOver } from "../../src/switch/switch-over.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { entriesOf, type Over, over } from "./over.ts";
import { windowed } from "./prepared.ts";
import { nameOf } from "./run-switch.ts";
import { NAMES, sample } from "./samples.ts";
import { begun, named, newWorld, type World } from "./world.ts";

const jsonIn = (path: string) => JSON.parse(readFileSync(path, "utf8"));

/** The warnings of the switch, as every place has them that records it. */
async function recordedIn(world: World, { there, backup }: Over): Promise<Record<string, unknown>> {
  const { batonHome } = world;
  const { current, meta } = conversationFiles(
    batonHome,
    conversationId(await lineageOf(batonHome, nameOf(there))),
  );
  const mark = (await entriesOf(world, there)).find(({ type }) => type === "switch");
  const [operation] = (await operations(batonHome)).operations;
  return {
    session: mark?.type === "switch" && mark.switch.warnings,
    journal: (operation?.facts.switch as { warnings?: unknown } | undefined)?.warnings,
    backup: jsonIn(backup ?? "").switches[0].warnings,
    current: jsonIn(current).switches[0].warnings,
    meta: jsonIn(meta).switches[0].warnings,
  };
}

/** What was shown that is more than a note. */
const graver = ({ analysis }: Over) => analysis.warnings.filter(({ type }) => type !== "info");

const everywhere = (warnings: readonly string[]) => ({
  session: warnings,
  journal: warnings,
  backup: warnings,
  current: warnings,
  meta: warnings,
});

async function switchedTo(to: string, timeline: readonly Entry[], more: Partial<SwitchOver>) {
  const world = await newWorld();
  const there = await begun(world, named("claude"), timeline);
  const done = await over(world, there, to, more);
  return { world, done };
}

const TOLD = [
  user("u1"),
  assistant("a1"),
  call("c1"),
  result("c1"),
  call("c2"),
  result("c2"),
  assistant("a2"),
];
const LONG = [
  user("u1"),
  call("c1"),
  { ...result("c1"), output: "one line of an output\n".repeat(9_000) } as Entry,
  assistant("a1"),
  user("u2"),
  assistant("a2"),
];

describe.each(["codex", "gemini", "opencode"])("a switch to %s", (to) => {
  it("is recorded with what was left out on request", async () => {
    const { world, done } = await switchedTo(to, TOLD, { options: { includeToolHistory: false } });
    expect(await recordedIn(world, done)).toEqual(
      everywhere(["Tool calls and their results were left out, as asked (2 times): Bash"]),
    );
  });

  it("is recorded with what was shortened", async () => {
    const { world, done } = await switchedTo(to, LONG, {
      options: { summarizationStrategy: "truncate" },
      overrides: windowed(50_000),
    });
    expect(await recordedIn(world, done)).toEqual(
      everywhere([
        expect.stringMatching(
          /^[\d,]+ tokens → too many for 50K: reduced to [\d,]+, 6 of 6 messages stay\.$/,
        ),
        expect.stringMatching(
          /^The middle of a long text was left out to make room; the source has all of it: about \d+ tokens became \d+$/,
        ),
      ]),
    );
  });

  it("is recorded with nothing where nothing is lost", async () => {
    const { world, done } = await switchedTo(to, [user("u1"), assistant("a1")], {});
    expect(await recordedIn(world, done)).toEqual(everywhere([]));
  });
});

it("how the target stood that day is shown, and not recorded", async () => {
  const { world, done } = await switchedTo("codex", TOLD, {
    asks: true,
    installed: { version: "99.0.0", path: "/bin/codex" },
    options: { includeToolHistory: false },
  });
  expect(graver(done).map(({ code }) => code)).toEqual([
    "tools_omitted",
    "target_unproven",
    "target_signed_out",
  ]);
  expect(await recordedIn(world, done)).toEqual(
    everywhere(["Tool calls and their results were left out, as asked (2 times): Bash"]),
  );
});

describe.each(NAMES)("a session of %s itself", (name) => {
  it.each(NAMES.filter((to) => to !== name))("is recorded in %s with all that was shown", async (to) => {
    const { world, original } = await sample(name);
    const done = await over(world, original, to);
    expect(await recordedIn(world, done)).toEqual(everywhere(graver(done).map(({ message }) => message)));
  });
});
