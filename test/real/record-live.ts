// node test/real/record-live.ts [AGENT …] [--only SCENARIO]: runs the scenarios with the real CLIs and writes what the
// drivers were told to test/run/transcripts, fit for the repository. `UPDATE_FIXTURES=1 npm test` then renews what
// follows from it; read the difference.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { Input } from "../../src/adapters/driver.ts";
import { type CliName, NAMES } from "./install.ts";
import { type Followed, type LiveRig, openLive } from "./live-rig.ts";
import { SCENARIOS } from "./live-scenarios.ts";
import { scrubber } from "./scrub.ts";

type Scenario = (rig: LiveRig) => Promise<Followed>;

const FOLDER = join(import.meta.dirname, "../run/transcripts");

/** Of processes. */
const NUMBERS = /("pid":|cc-socks\/)\d+/g;
/** Arguments in pieces, which no path can be found in. */
const CUT_ANYWHERE = /("partial_json":")(?:[^"\\]|\\.)*"/g;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: "string", multiple: true } },
});
for (const name of positionals.length > 0 ? (positionals as CliName[]) : NAMES)
  for (const [scenario, perform] of Object.entries(await scenariosOf(name)))
    if (values.only?.includes(scenario) ?? true) {
      await record(name, scenario, perform);
      console.log(`${name} ${scenario}`);
    }

/** Those of all agents, and its own. */
async function scenariosOf(name: CliName): Promise<Record<string, Scenario>> {
  const { EXTRA } = (await import(`./live-${name}.ts`)) as { EXTRA: Record<string, Scenario> };
  return { ...SCENARIOS, ...EXTRA };
}

async function record(name: CliName, scenario: string, perform: Scenario): Promise<void> {
  const rig = await openLive(name);
  try {
    const followed = await perform(rig);
    await followed.close();
    if (followed.violations.length > 0)
      console.error(`${name} ${scenario}: ${followed.violations.join("; ")}`);
    await mkdir(join(FOLDER, name), { recursive: true });
    await writeFile(join(FOLDER, name, `${scenario}.jsonl`), recording(rig, followed));
  } finally {
    await rig.close();
  }
}

/** The request, then everything that the driver was told, in order. */
function recording(rig: LiveRig, { request, inputs }: Followed): string {
  const lines = [{ request }, ...inputs.map((input) => ({ input: inside(input) }))].map((line) =>
    JSON.stringify(line),
  );
  const everything = lines.join("\n");
  const paths = new Map([
    [rig.cwd, "/home/user/project"],
    // As a store names a folder after it.
    [rig.cwd.replace(/[^A-Za-z0-9]/g, "-"), "-home-user-project"],
    [rig.home, "/home/user"],
    [join(rig.home, ".."), "/home/tmp"],
    [String(rig.loopback.port), "4242"],
  ]);
  const spoken = inputs.flatMap((input) => (input.type === "prompt" ? [input.text] : []));
  const scrub = scrubber(everything, paths, spoken);
  return lines
    .map((line) => JSON.stringify(scrub.record(JSON.parse(scrub.text(line)))))
    .map((line) => `${line.replace(NUMBERS, (_, before) => `${before}4242`).replace(CUT_ANYWHERE, '$1"')}\n`)
    .join("");
}

/** A line is JSON in a string: its own strings are cut, not the line. */
function inside(input: Input): unknown {
  if (input.type !== "line") return input;
  try {
    return { type: "line", json: JSON.parse(input.text) };
  } catch {
    // Not every agent says JSON only.
    return input;
  }
}
