// node test/real/renew.ts [--cli claude@latest] [--only KIND] [--write]: records sessions anew from the real CLIs
// and shows how their shape differs from what is in the repository. Nothing is changed without --write.
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { type Cli, type CliName, installCli, NAMES } from "./install.ts";
import { type Recording, record } from "./record.ts";
import { RICH } from "./rich.ts";
import { SCENARIOS } from "./scenarios.ts";
import { differences, shapeOf } from "./shape.ts";

const RECORDED = join(import.meta.dirname, "../verify/fixtures");
/** The rich sessions are published with the package. */
const SAMPLES = join(import.meta.dirname, "../../samples");

const { values } = parseArgs({
  options: { cli: { type: "string" }, only: { type: "string" }, write: { type: "boolean", default: false } },
});
const [named, version] = values.cli?.split("@") ?? [];
for (const name of NAMES) {
  if (named !== undefined && named !== name) continue;
  await renew(name, await installCli(name, version));
}

async function renew(name: CliName, cli: Cli): Promise<void> {
  process.stdout.write(`${name} ${cli.version}\n`);
  const rich = RICH[name];
  const kinds = Object.entries({ ...SCENARIOS[name], ...(rich && { rich }) });
  for (const [kind, scenario] of kinds) {
    if (values.only !== undefined && values.only !== kind) continue;
    const folder = kind === "rich" ? join(SAMPLES, name) : join(RECORDED, name, kind);
    const recording = await record(name, kind, scenario, cli);
    const lines = differences(shapeOf(await recordsIn(folder)), shapeOf(recordsOf(recording)));
    process.stdout.write(
      `  ${kind}: ${lines.length === 0 ? "the same shape" : `${lines.length} difference(s)`}\n`,
    );
    for (const line of lines) process.stdout.write(`    ${line}\n`);
    if (values.write) await save(folder, recording, cli, kind === "rich");
  }
}

async function save(
  folder: string,
  { files, messages, id }: Recording,
  cli: Cli,
  isSample: boolean,
): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [path, content] of files) {
    const target = join(folder, "native", path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
  const about = { cli: cli.name, version: cli.version, id };
  if (isSample) await writeFile(join(folder, "about.json"), `${JSON.stringify(about, null, 2)}\n`);
  else await writeFile(join(folder, "resumed.json"), `${JSON.stringify({ ...about, messages }, null, 1)}\n`);
}

function recordsOf({ files }: Recording): unknown[] {
  return Array.from(files).flatMap(([path, content]) => (isRecords(path) ? parsed(String(content)) : []));
}

async function recordsIn(folder: string): Promise<unknown[]> {
  if (!existsSync(join(folder, "native"))) return [];
  const found = await readdir(join(folder, "native"), { recursive: true, withFileTypes: true });
  const texts = found
    .filter((one) => one.isFile() && isRecords(one.name))
    .map((one) => readFile(join(one.parentPath, one.name), "utf8"));
  return (await Promise.all(texts)).flatMap(parsed);
}

function isRecords(path: string): boolean {
  return path.endsWith(".jsonl");
}

function parsed(content: string): unknown[] {
  return content
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}
