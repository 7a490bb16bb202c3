// Every format into every other one and into every agent: what was said, called and answered arrives.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { type Format, formats } from "../../src/formats/index.ts";
import type { Loss, LossName } from "../../src/session/losses.ts";
import type { Entry, Session } from "../../src/session/session.ts";
import { type Source, sourceOf } from "../../src/session/source.ts";
import { carry } from "../../src/switch/carry.ts";
import { thread, visible } from "../../src/transform/visible.ts";
import { usedHome } from "../conformance/fixtures.ts";
import { fc } from "../property.ts";
import { conversation, type Facts, factsOf } from "./conversation.ts";
import { temporaryFolder } from "./folder.ts";

const folder = temporaryFolder();
const readable = formats.filter(({ read }) => read);
const pairs = readable.flatMap((from) => readable.map((to) => [from.id, to.id, from, to] as const));

let files = 0;
async function through(source: Source, format: Format, losses: Set<LossName>): Promise<Source> {
  const stream = { all: source, branch: thread(source), request: visible(source) }[format.takes];
  const onLoss = ({ kind }: Loss) => losses.add(kind);
  const path = join(folder(), `${files++}.json`);
  await writeFile(path, (await Array.fromAsync(format.write(stream, { onLoss }))).join(""));
  // A list of plain texts could be either of two.
  if (format.id !== "anthropic") expect(await format.recognise?.(path)).toBe(true);
  return (await format.read?.(path)) as Source;
}

/** The facts of which no loss says that they are missing. */
function comparable(entries: readonly Entry[], losses: ReadonlySet<LossName>): Partial<Facts> {
  const { texts, thinking, calls, results, failed, media } = factsOf(entries);
  const isWhole = !losses.has("image_dropped") && !losses.has("document_dropped");
  return {
    calls,
    ...(!losses.has("outcome_dropped") && { failed }),
    ...(!losses.has("thinking_dropped") && { thinking }),
    // Where a picture is missing, a note stands in its place.
    ...(isWhole && { texts, results, media }),
  };
}

describe.each(pairs)("%s → %s", (_, __, from, to) => {
  it("differs only in what was reported", async () => {
    await fc.assert(
      fc.asyncProperty(conversation, async (made) => {
        const losses = new Set<LossName>();
        const first = await through(sourceOf(made), from, losses);
        const found = await Array.fromAsync((await through(first, to, losses)).entries());
        expect(comparable(found, losses)).toEqual(comparable(made.timeline, losses));
      }),
      { numRuns: 5 },
    );
  });
});

const targets = readable.flatMap((from) =>
  adapters.filter(({ write }) => write).map((to) => [from.id, to.id, from, to] as const),
);

describe.each(targets)("%s → %s", (_, __, from, to) => {
  it("arrives in the agent", async () => {
    const [made] = fc.sample(conversation, { numRuns: 1, seed: 7 }) as [Session];
    const source = await through(sourceOf(made), from, new Set());
    const home = await usedHome(to);
    const cwd = "/home/dev/project";
    const carried = await carry({
      source,
      to,
      home,
      batonHome: join(home.dir, ".baton"),
      cwd,
      kind: "resume",
    });
    const refs = await Array.fromAsync(to.discover(home));
    const ref = refs.find(({ originalId }) => originalId === carried.originalId);
    if (!ref) throw new Error("the agent does not find it");
    const arrived = factsOf(await Array.fromAsync(visible(await to.open(ref)).entries()));
    const meant = factsOf(made.timeline);
    const words = (texts: readonly string[]) => texts.join("\n");
    for (const text of meant.texts) expect(words(arrived.texts)).toContain(text.replace(/^\w+: /, ""));
    expect(arrived.calls.length).toBe(meant.calls.length);
    for (const { output } of meant.results)
      expect(words(arrived.results.map((one) => one.output))).toContain(output);
  });
});
