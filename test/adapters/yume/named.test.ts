// A session has the id that its file says, because two providers' files may have one name.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { discover } from "../../../src/adapters/yume/paths.ts";
import { temporaryFolder } from "../../formats/folder.ts";

const folder = temporaryFolder();

it("is the id in the file, and its name where it says none", async () => {
  for (const [provider, id] of [
    ["gemini", "of-gemini"],
    ["openai", undefined],
  ] as const) {
    const dir = join(folder(), ".yume", "sessions", provider);
    await mkdir(dir, { recursive: true });
    await writeFile(join(dir, "session-1.json"), JSON.stringify({ id, provider, history: [] }));
  }
  const refs = await Array.fromAsync(discover({ dir: folder(), env: {} }));
  expect(refs.map(({ originalId }) => originalId)).toEqual(["of-gemini", "session-1"]);
});
