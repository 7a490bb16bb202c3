// Every fixture, read as it should be. UPDATE_FIXTURES=1 renews the golden files.
import { readdirSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { conversation } from "../../../src/adapters/conversation/index.ts";
import { collect } from "../../../src/session/source.ts";
import { laidOut } from "../../conformance/fixtures.ts";

const FIXTURES = join(import.meta.dirname, "fixtures");

describe.each(readdirSync(FIXTURES))("%s", (fixture) => {
  it("reads as recorded", async () => {
    const [ref] = await laidOut({ adapter: conversation, fixture });
    if (!ref) throw new Error(`no session in ${fixture}`);
    const source = await conversation.open(ref);
    const session = await collect(source);
    // A conversation belongs to the folder it lies in, which is another one in every run.
    if (session.project.path.endsWith("/project")) session.project.path = "/home/dev/project";
    for (const [file, value] of Object.entries({ session, losses: source.losses })) {
      const path = join(FIXTURES, fixture, `${file}.json`);
      const found = `${JSON.stringify(value, null, 2)}\n`;
      if (process.env.UPDATE_FIXTURES) await writeFile(path, found);
      expect(found).toBe(await readFile(path, "utf8"));
    }
  });
});
