// Damage done to a session where it was written: to its file, or to the rows of a database, one to a line.
import { readFile, writeFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

export async function damageAt(path: string, damage: (content: string) => string): Promise<void> {
  if (path.endsWith(".db")) damageRows(path, damage);
  else await writeFile(path, damage(await readFile(path, "utf8")));
}

/** A row whose line is gone goes as well. */
function damageRows(path: string, damage: (content: string) => string): void {
  const database = new DatabaseSync(path);
  try {
    const rows = database.prepare("SELECT id, data FROM part ORDER BY id").all();
    const lines = rows.map(({ id, data }) => JSON.stringify({ row: id, ...JSON.parse(String(data)) }));
    const left = damage(`${lines.join("\n")}\n`)
      .trimEnd()
      .split("\n");
    const parts = new Map(
      left.map((line) => {
        const { row, ...data } = JSON.parse(line);
        return [row, JSON.stringify(data)];
      }),
    );
    for (const { id } of rows) {
      const data = parts.get(id);
      if (data === undefined) database.prepare("DELETE FROM part WHERE id = ?").run(id ?? null);
      else database.prepare("UPDATE part SET data = ? WHERE id = ?").run(data, id ?? null);
    }
  } finally {
    database.close();
  }
}
