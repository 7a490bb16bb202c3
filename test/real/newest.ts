// node test/real/newest.ts [--cli NAME[@VERSION]…]: installs the newest versions of the CLIs and says what changed:
// the shape of the sessions they write, and which facts are no longer kept. Status 1: something that was proven is
// not so any more.
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type Contestant, measure, type Pair } from "../../src/cli/fidelity.ts";
import { type Cli, type CliName, installCli, NAMES } from "./install.ts";
import { adapterOf } from "./read.ts";
import { RICH } from "./rich.ts";

const ROOT = join(import.meta.dirname, "../..");
const { values } = parseArgs({ options: { cli: { type: "string", multiple: true } } });
const say = (line: string) => process.stdout.write(`${line}\n`);

const newest: Cli[] = [];
const asked = new Map((values.cli ?? NAMES).map((one) => `${one}@latest`.split("@") as [string, string]));
const strange = [...asked.keys()].filter((one) => !NAMES.includes(one as CliName));
if (strange.length > 0) throw new Error(`There is no ${strange.join(", ")} here, only ${NAMES.join(", ")}.`);
for (const name of NAMES.filter((one) => asked.has(one))) {
  const pinned = await installCli(name);
  const cli = await installCli(name, asked.get(name));
  say(`${name}: ${pinned.version} is pinned, ${cli.version} is looked at`);
  if (cli.version !== pinned.version) newest.push(cli);
}
if (newest.length === 0) say("They are the ones that are pinned: there is nothing to compare.");
else process.exitCode = (await check()) ? 0 : 1;

async function check(): Promise<boolean> {
  const chosen = newest.map(({ name, version }) => `${name}@${version}`);
  say("\nThe shape of what they write");
  const isRecorded = chosen.map((one) => run("test/real/renew.ts", "--cli", one)).every((one) => one === 0);
  say("\nFacts that survive");
  const isWhole = await compareFacts();
  say("\nTheir sessions, read and carried");
  const vitest = ["node_modules/vitest/vitest.mjs", "run", "--config", "test/real/vitest.config.ts"];
  const passes = run(...vitest, "truth", "carry", "settled", "listed", "live", "return", "fork") === 0;
  say(
    isRecorded && isWhole && passes
      ? "\nEverything that was proven still is."
      : "\nNot everything is as it was: see above.",
  );
  return isRecorded && isWhole && passes;

  function run(...args: string[]): number | null {
    const env = { ...process.env, BATON_CLI_VERSIONS: chosen.join(",") };
    return spawnSync(process.execPath, args, { cwd: ROOT, stdio: "inherit", env }).status;
  }
}

/** The table of the pairs that a newer CLI takes part in, beside the one in the repository. */
async function compareFacts(): Promise<boolean> {
  const page = await readFile(join(ROOT, "docs/fidelity.md"), "utf8");
  const contestants: Contestant[] = [];
  for (const name of Object.keys(RICH) as CliName[]) {
    const cli = newest.find((one) => one.name === name) ?? (await installCli(name));
    contestants.push({ adapter: adapterOf(name), cli });
  }
  const { pairs } = await measure(contestants, () => undefined);
  for (const pair of pairs) report(pair, page);
  return pairs.every(({ proven }) => proven);
}

function report(pair: Pair, page: string): void {
  const { from, to, total, kept, missing, unexpected, problems, proven } = pair;
  const before = new RegExp(`^\\| ${from} \\| ${to} \\| \\d+ \\| (\\d+) `, "m").exec(page)?.[1] ?? "?";
  say(
    `  ${from} to ${to}: ${kept} of ${total} kept, ${before} with the pinned ones${proven ? "" : ", NOT PROVEN"}`,
  );
  for (const problem of problems) say(`    problem: ${problem}`);
  for (const { type, excerpt, reason, named } of missing)
    if (named === undefined) say(`    no longer kept: ${type} "${excerpt}": ${reason}`);
  for (const { type, excerpt, reason } of unexpected) say(`    unexpected: ${type} "${excerpt}": ${reason}`);
}
