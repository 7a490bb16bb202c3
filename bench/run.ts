// `npm run bench`: the bars, as ratios in one run, the median of five interleaved rounds beside the floor.
// `npm run bench -- catalog`, `-- carry`, `-- live`, `-- peers`, `-- tokens`: only these. `--quick`: one round and nothing large.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { carryBars } from "./carry.ts";
import { catalogBars } from "./catalog.ts";
import { liveBars } from "./live.ts";
import { peerBars } from "./peers.ts";
import { misses, printMachine } from "./report.ts";
import { tokenBars } from "./tokens.ts";

const parts: Record<string, () => Promise<void>> = {
  carry: carryBars,
  catalog: catalogBars,
  live: liveBars,
  peers: peerBars,
  tokens: tokenBars,
};

const wanted = process.argv.slice(2).filter((name) => !name.startsWith("--"));
const unknown = wanted.filter((name) => !(name in parts));
if (unknown.length > 0) {
  console.error(`bench: there is no part ${unknown.join(", ")}; there are ${Object.keys(parts).join(", ")}`);
  process.exit(2);
}
printMachine();
// What is measured is what starts fastest; a clone would run its sources after an edit.
execFileSync(process.execPath, [join(import.meta.dirname, "../scripts/build.ts")], { stdio: "inherit" });
for (const [name, part] of Object.entries(parts))
  if (wanted.length === 0 || wanted.includes(name)) await part();
process.exitCode = misses() > 0 ? 1 : 0;
