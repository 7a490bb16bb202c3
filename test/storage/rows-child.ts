// A process of its own that writes rows and can be ended at any step. Usage: rows-child.ts FOLDER ACTION KILL
import { apply } from "../../src/storage/apply.ts";
import { recover } from "../../src/storage/recover.ts";
import { undo } from "../../src/storage/undo.ts";
import { content, rowFacts, rows, rowsIn } from "./rows-store.ts";

const [folder = "", action = "", kill = "-1"] = process.argv.slice(2);
const store = rowsIn(folder);
const { batonHome, database } = store;
let steps = 0;

function onStep(step: string): void {
  console.log(JSON.stringify({ step }));
  if (steps++ === Number(kill)) process.kill(process.pid, "SIGKILL");
}

async function act(): Promise<object> {
  if (action === "undo") return undo(batonHome, undefined, onStep);
  if (action === "recover") return recover(batonHome, onStep);
  return apply(rows(store), {
    batonHome,
    facts: rowFacts(database),
    onStep,
    readBack: async () => undefined,
  });
}

const outcome = await act().catch(({ code, message }: { code: string; message: string }) => ({
  code,
  message,
}));
console.log(JSON.stringify({ outcome, content: content(database) }));
