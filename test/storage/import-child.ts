// A process of its own that has rows imported, and ends itself after some of them. Usage: import-child.ts FOLDER KILL
import { readFileSync } from "node:fs";
import { apply } from "../../src/storage/apply.ts";
import type { Change } from "../../src/storage/changes.ts";
import { columnsIn, flattened, type RowLine } from "../../src/storage/rows.ts";
import { execute, ID, rowFacts, rowsIn } from "./rows-store.ts";

const [folder = "", kill = "-1"] = process.argv.slice(2);
const { batonHome, database } = rowsIn(folder);
let put = 0;

/** As a vendor does it: row by row, with columns of its own. */
async function insert(staged: string): Promise<void> {
  for (const text of readFileSync(staged, "utf8").trim().split("\n"))
    for (const line of flattened(JSON.parse(text) as RowLine)) {
      const { id, session, data } = columnsIn(line);
      if (put++ === Number(kill)) process.kill(process.pid, "SIGKILL");
      if (line.table === "session") execute(database, `INSERT INTO session VALUES ('${id}', 99)`);
      else execute(database, `INSERT INTO message VALUES ('${id}', '${session}', '${data} ')`);
    }
  if (put === Number(kill)) process.kill(process.pid, "SIGKILL");
}

async function* changes(): AsyncGenerator<Change> {
  for (const [session, path] of [
    [ID, database],
    ["child", `${database}#child`],
  ] as const) {
    const guards = [{ table: "message", column: "session", value: session, count: 0 }];
    const lines = [
      { table: "session", row: { id: session, updated: 2 } },
      { table: "message", row: { id: `${session}-1`, session }, data: { text: "one" } },
      { table: "message", row: { id: `${session}-2`, session }, data: { text: "two" } },
    ];
    for (const line of lines)
      yield { type: "rows", path, database, guards, insert, bytes: `${JSON.stringify(line)}\n` };
  }
}

await apply(changes(), { batonHome, facts: rowFacts(database) });
