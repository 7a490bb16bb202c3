// node record-child.ts BATON_HOME: has a run under way until it is killed.
import { openRunLog } from "../../src/run/record.ts";
import { knownRuns } from "../../src/storage/runs.ts";

const [batonHome = ""] = process.argv.slice(2);
const log = await openRunLog({
  batonHome,
  id: "child",
  agent: "claude",
  cwd: "/project",
  onProblem(error) {
    throw error;
  },
});
log.prompt("Do it");
while ((await knownRuns(batonHome)).length === 0) await new Promise(setImmediate);
console.log("written");
setInterval(() => undefined, 1000);
