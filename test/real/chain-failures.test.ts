// What fails on the way to another provider leaves everything as it was, and can be tried again: the summary, for
// want of a network, and the target's CLI, for want of an account or a quota.
import { describe, expect, it } from "vitest";
import type { Reply } from "../../src/loopback/reply.ts";
import { startLoopback } from "../../src/loopback/server.ts";
import { prepareSwitch } from "../../src/switch/prepare-switch.ts";
import { switchOver } from "../../src/switch/switch-over.ts";
import { factsOf } from "../../src/verify/facts.ts";
import type { Rig, Turn } from "./harness.ts";
import {
  find,
  hashesOf,
  hop,
  reducing,
  requestFor,
  resumed,
  summarizerAt,
  type There,
  type User,
  withUser,
} from "./hop.ts";
import type { CliName } from "./install.ts";
import { longSession, NEWEST } from "./long-session.ts";
import { layUsedStore } from "./used-store.ts";

/** An address at which nobody listens. */
async function closedUrl(): Promise<string> {
  const gone = await startLoopback();
  await gone.close();
  return gone.url;
}

const FAILURES: readonly (readonly [string, Reply])[] = [
  ["breaks off in the middle", { text: "A summary that is never whole.", cut: 4 }],
  ["breaks off before it begins", { cut: 0 }],
  ["is refused", { error: { status: 401, message: "Who are you?" } }],
  ["is put off", { error: { status: 529, message: "Later." } }],
  ["says nothing", { text: "" }],
];

it("a summary that cannot be made leaves every store as it was", async () => {
  await withUser(["claude", "gemini"], async (user) => {
    const { loopback } = user.place;
    const a = await longSession(user);
    const wish = reducing("hybrid", 3500);
    const failing = { ...wish, summarizer: summarizerAt(loopback.url) };
    const before = await hashesOf(user.home.dir);
    for (const [what, reply] of FAILURES) {
      user.place.answer(() => reply);
      await expect(switchOver(await requestFor(user, a, "gemini", failing)), what).rejects.toMatchObject({
        code: "failed",
        message: expect.stringContaining("The summary could not be made"),
      });
      expect(await hashesOf(user.home.dir), what).toEqual(before);
    }
    const nobody = { ...wish, summarizer: summarizerAt(await closedUrl()) };
    await expect(switchOver(await requestFor(user, a, "gemini", nobody))).rejects.toThrow("ECONNREFUSED");

    user.place.answer(() => ({ text: "Never.", hang: 2 }));
    const { signal, abort } = stopper();
    const stopped = switchOver({ ...(await requestFor(user, a, "gemini", failing)), signal });
    const asked = loopback.requests.length;
    void loopback.waitFor(asked + 1).then(abort);
    await expect(stopped).rejects.toThrow("it was stopped");
    expect(await hashesOf(user.home.dir)).toEqual(before);

    const b = await hop(user, a, "gemini", "Go on", [{ text: "Gone on." }], wish);
    expect(b.told[0]).toMatch(/^\[Previous conversation summary - \d+ messages\]\n\n./);
    expect(b.told.slice(-NEWEST.length - 1)).toEqual([...NEWEST, "Go on"]);
  });
});

function stopper(): { signal: AbortSignal; abort(): void } {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort(new Error("the user had enough")) };
}

const failWith =
  (status: number) =>
  ({ driver, run }: Rig, id: string): Promise<Turn> =>
    run(driver.resume(id, "This fails"), () => ({ error: { status, message: "No." } }), {
      ...(driver.stdin && { stdin: driver.stdin("This fails") }),
    });

interface Failing {
  from: CliName;
  to: CliName;
  /** The vendor refuses what the CLI sends. */
  fail(rig: Rig, id: string): Promise<Turn>;
  /** Whether the CLI tells the prompt that failed once more when it goes on. */
  isTold: boolean;
}

const ALL: readonly Failing[] = [
  // By itself it tries ten times, for minutes.
  {
    from: "codex",
    to: "claude",
    fail: ({ exec, cli, driver }, id) =>
      exec(["env", "CLAUDE_CODE_MAX_RETRIES=1", cli.path, ...driver.resume(id, "This fails")], () => ({
        error: { status: 401, message: "No." },
      })),
    isTold: true,
  },
  { from: "claude", to: "codex", fail: failWith(429), isTold: true },
  { from: "claude", to: "gemini", fail: failWith(401), isTold: false },
  { from: "claude", to: "opencode", fail: failWith(401), isTold: true },
];

describe.each(ALL)("in $to", ({ from, to, fail, isTold }) => {
  it("what was refused by the vendor can be tried again, there and from the beginning", async () => {
    await withUser([from, to], async (user) => {
      if (to === "opencode") await layUsedStore(user.home.dir);
      const rig = user.rig(to);
      const { id } = await user.rig(from).start("The beginning of it", [{ text: "So it began" }]);
      const a = { agent: from, id };
      const first = await switchOver(await requestFor(user, a, to));
      const there = { agent: to, id: first.originalId };
      await isReusedFor(user, a, there);

      const turn = await fail(rig, there.id);
      expect(turn.exitCode).not.toBe(0);
      expect(turn.requests.length).toBeGreaterThan(0);
      // Each CLI has noted what it was asked, so this is no longer the session that was written.
      const again = await switchOver(await requestFor(user, a, to));
      expect(again.isReused).toBeUndefined();
      expect(again.originalId).not.toBe(there.id);
      await isReusedFor(user, a, { agent: to, id: again.originalId });
      const { stream } = await prepareSwitch(await requestFor(user, a, to));
      const promised = await Array.fromAsync(factsOf(stream()));
      await resumed(
        user,
        { agent: to, id: again.originalId },
        "Go on",
        [{ text: "Gone on." }],
        promised,
        again.losses,
      );

      const same = await rig.resume(there.id, "And now", [{ text: "Now it works." }]);
      expect(same).toMatchObject({ id: there.id, exitCode: 0 });
      expect(same.requests.flatMap(({ violations }) => violations)).toEqual([]);
      const told = JSON.stringify(same.requests.at(-1)?.request.messages);
      for (const text of ["The beginning of it", "So it began", "And now"]) expect(told).toContain(text);
      expect(told.includes("This fails")).toBe(isTold);
    });
  });
});

/** The same request gives the same session, and nothing is written. */
async function isReusedFor(user: User, from: There, to: There): Promise<void> {
  const before = await hashesOf(user.home.dir);
  const again = await switchOver(await requestFor(user, from, to.agent));
  expect(again).toMatchObject({ isReused: true, originalId: to.id });
  expect(await hashesOf(user.home.dir)).toEqual(before);
}

it("a CLI that fails before it writes leaves the session to the next try", async () => {
  await withUser(["claude", "gemini"], async (user) => {
    const { id } = await user.rig("claude").start("The beginning of it", [{ text: "So it began" }]);
    const a: There = { agent: "claude", id };
    const first = await switchOver(await requestFor(user, a, "gemini"));
    const there: There = { agent: "gemini", id: first.originalId };
    const { length } = (await find(user, there)).source.skeleton;
    const { cli, driver, exec } = user.rig("gemini");
    const turn = await exec(["env", "-u", "GEMINI_API_KEY", cli.path, ...driver.resume(there.id, "Try it")]);
    expect(turn).toMatchObject({ exitCode: 41, requests: [] });
    expect((await find(user, there)).source.skeleton.length).toBe(length);
    await isReusedFor(user, a, there);
  });
});
