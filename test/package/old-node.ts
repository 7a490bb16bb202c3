// Finds or fakes a Node that is too old for the program, so that the launcher can be tried under one.
import { writeFile } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { execa } from "execa";

/** The beginning of a command line: a Node that says it is 18, and the machine's own where it is an old one. */
export async function oldNodes(folder: string): Promise<Map<string, readonly [string, ...string[]]>> {
  const pretend = join(folder, "pretend.cjs");
  const versions = "{ value: { ...process.versions, node: '18.0.0' } }";
  await writeFile(pretend, `Object.defineProperty(process, "versions", ${versions});`);
  const found = new Map<string, readonly [string, ...string[]]>([
    ["a Node that says it is 18", [process.execPath, "--require", pretend]],
  ]);
  const own = await ownOldNode();
  return own ? found.set("the machine's own old Node", [own]) : found;
}

async function ownOldNode(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    const node = join(folder, "node");
    const version = await execa(node, ["-p", "process.versions.node"], { reject: false });
    if (/^(18|20)\./.test(String(version.stdout))) return node;
  }
  return undefined;
}
