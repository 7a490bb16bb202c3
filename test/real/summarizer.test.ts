// Through the command line: `baton resume --summarizer` lets a real CLI make the summary, and the target's CLI opens
// with it. `baton analyse` has said before what would happen.
import { expect, it } from "vitest";
import { operations } from "../../src/storage/operations.ts";
import { prepareSwitch } from "../../src/switch/prepare-switch.ts";
import { factsOf } from "../../src/verify/facts.ts";
import { batonIn } from "./baton.ts";
import { MODELS, reducing, requestFor, resumed, switchesIn, type There, withUser } from "./hop.ts";
import { longSession, NEWEST, OLDEST } from "./long-session.ts";

const SUMMARY = "Fruit was told of.\n\n- apples, pears and plums: done\n- nothing is open";

it("the summary is the reply of the CLI that was named", async () => {
  await withUser(["claude", "codex"], async (user) => {
    const claude = user.rig("claude");
    const { loopback } = user.place;
    const a = await longSession(user);
    const { options } = reducing("hybrid", 3500);
    const how = ["--strategy", "hybrid", "--budget", String(options?.budget)];

    const analysed = await batonIn(claude, ["analyse", `claude:${a.id}`, "--to", "codex", ...how]);
    expect(analysed.status, analysed.stderr).toBe(0);
    const { size } = await prepareSwitch(await requestFor(user, a, "codex", { options }));
    expect(analysed.result).toMatchObject({
      canSwitch: true,
      requiresSummarization: true,
      estimatedTokens: size.total,
      from: { agent: "claude", provider: "claude", model: MODELS.claude },
      to: { agent: "codex", provider: "openai", model: MODELS.codex },
      tokens: { source: "recorded" },
    });
    expect((await operations(user.batonHome)).operations).toEqual([]);

    const asked = loopback.requests.length;
    const summarizer = "claude -p --output-format text";
    const { status, stderr, result } = await batonIn(
      claude,
      ["resume", `claude:${a.id}`, "--in", "codex", ...how, "--summarizer", summarizer],
      () => ({ text: SUMMARY }),
    );
    expect(status, stderr).toBe(0);
    const requests = loopback.requests.slice(asked);
    expect(requests.map((one) => [one.status, one.violations])).toEqual([[200, []]]);
    const material = JSON.stringify(requests[0]?.request.messages);
    for (const text of OLDEST) expect(material).toContain(JSON.stringify(text.slice(0, 40)).slice(1, -1));
    expect(result.analysis.kept).toEqual(analysed.result.kept);

    const there: There = { agent: "codex", id: result.originalId };
    const meant = await requestFor(user, a, "codex", { options, summarizer: async () => SUMMARY });
    const { stream, reduction } = await prepareSwitch(meant);
    const left = reduction?.reduction.leftOut ?? 0;
    const promised = await Array.fromAsync(factsOf(stream()));
    const { told } = await resumed(user, there, "Go on", [{ text: "Gone on." }], promised, result.losses);
    expect(told[0]).toBe(`[Previous conversation summary - ${left} messages]\n\n${SUMMARY}`);
    expect(told.slice(-NEWEST.length - 1)).toEqual([...NEWEST, "Go on"]);
    expect(await switchesIn(user, there)).toMatchObject([
      { fromProvider: "claude", toProvider: "openai", fromModel: MODELS.claude, toModel: MODELS.codex },
    ]);
  });
});
