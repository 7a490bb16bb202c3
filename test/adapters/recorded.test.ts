// Every fixture of the stores that are only read, read as it should be. UPDATE_FIXTURES=1 renews the golden files.
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conversation } from "../../src/adapters/conversation/index.ts";
import { yume } from "../../src/adapters/yume/index.ts";
import { collect } from "../../src/session/source.ts";
import { laidOut } from "../conformance/fixtures.ts";

const folderOf = (agent: string) => join(import.meta.dirname, agent, "fixtures");
const cases = [conversation, yume].flatMap((adapter) =>
  readdirSync(folderOf(adapter.id)).map((fixture) => [adapter.id, fixture, adapter] as const),
);

describe.each(cases)("%s %s", (agent, fixture, adapter) => {
  it("reads as recorded", async () => {
    const [ref] = await laidOut({ adapter, fixture });
    if (!ref) throw new Error(`no session in ${fixture}`);
    const source = await adapter.open(ref);
    const session = await collect(source);
    // A conversation belongs to the folder it lies in, which is another one in every run.
    if (session.project.path.endsWith("/project")) session.project.path = "/home/dev/project";
    for (const [file, value] of Object.entries({ session, losses: source.losses })) {
      const path = join(folderOf(agent), fixture, `${file}.json`);
      const found = `${JSON.stringify(value, null, 2)}\n`;
      if (process.env.UPDATE_FIXTURES) await writeFile(path, found);
      expect(found).toBe(await readFile(path, "utf8"));
    }
  });
});
