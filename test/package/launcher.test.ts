// The launcher under a Node that is too old: it hands over to the bundled one, passes on arguments, streams,
// exit status and signals, and says what to do when there is no other Node.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oldNodes } from "./old-node.ts";

const PROGRAM = `
export async function main(argv: string[]): Promise<number> {
  if (argv[0] === "exit") return Number(argv[1]);
  if (argv[0] === "end-by") process.kill(process.pid, argv[1] as NodeJS.Signals);
  if (argv[0] === "wait") {
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
      process.once(signal, () => { console.log("got " + signal); process.exit(7); });
    console.log(process.pid);
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  console.log(JSON.stringify({ argv, node: process.versions.node }));
  return 0;
}
`;

let root: string;
let launchers: Awaited<ReturnType<typeof oldNodes>>;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "baton-launcher-"));
  await cp("bin", join(root, "clone/bin"), { recursive: true });
  await mkdir(join(root, "clone/src/cli"), { recursive: true });
  await writeFile(join(root, "clone/src/cli/main.ts"), PROGRAM);
  await writeFile(join(root, "clone/package.json"), '{"type":"module"}');
  await cp(join(root, "clone"), join(root, "alone"), { recursive: true });
  const bundled = join(root, "clone/node_modules", `node-${process.platform}-${process.arch}`, "bin");
  await mkdir(bundled, { recursive: true });
  await symlink(process.execPath, join(bundled, "node"));
  launchers = await oldNodes(root);
});

afterAll(() => rm(root, { recursive: true, force: true }));

const program = () => join(root, "clone/bin/baton.js");

function startWaiting(argv: readonly [string, ...string[]]): ChildProcess {
  return spawn(argv[0], [...argv.slice(1), program(), "wait"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
}

describe("a Node that is too old", () => {
  it("hands over with arguments, output and exit status", async () => {
    for (const [name, [node, ...flags]] of launchers) {
      const run = await execa(node, [...flags, program(), "say", "two words", "--flag"]);
      expect(JSON.parse(run.stdout), name).toEqual({
        argv: ["say", "two words", "--flag"],
        node: process.versions.node,
      });
      const failed = await execa(node, [...flags, program(), "exit", "6"], { reject: false });
      expect(failed.exitCode, name).toBe(6);
    }
  });

  it("ends by the signal that ended the program", async () => {
    for (const [name, [node, ...flags]] of launchers) {
      const run = await execa(node, [...flags, program(), "end-by", "SIGTERM"], { reject: false });
      expect(run.signal, name).toBe("SIGTERM");
    }
  });

  it("passes signals on and leaves no process behind", async () => {
    for (const [name, argv] of launchers) {
      for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
        const launcher = startWaiting(argv);
        const [line] = (await once(launcher.stdout!, "data")) as [Buffer];
        const output = text(launcher.stdout!);
        launcher.kill(signal);
        const [code] = await once(launcher, "exit");
        expect(code, `${name}: ${signal}`).toBe(7);
        expect(await output, name).toContain(`got ${signal}`);
        expect(() => process.kill(Number(line), 0), name).toThrow("ESRCH");
      }
    }
  });

  it("says in one line what to do when there is no other Node", async () => {
    for (const [name, [node, ...flags]] of launchers) {
      const run = await execa(node, [...flags, join(root, "alone/bin/baton.js"), "list"], {
        reject: false,
      });
      expect(run.exitCode, name).toBe(1);
      expect(run.stdout, name).toBe("");
      expect(run.stderr.split("\n"), name).toHaveLength(1);
      expect(run.stderr, name).toMatch(/^baton: needs Node 22\.18 or newer/);
    }
  });
});

it("runs the compiled program where there are no sources", async () => {
  const installed = join(root, "installed");
  await cp("bin", join(installed, "bin"), { recursive: true });
  await mkdir(join(installed, "dist/cli"), { recursive: true });
  await writeFile(join(installed, "package.json"), '{"type":"module"}');
  await writeFile(join(installed, "dist/cli/main.js"), "export const main = async () => 4;");
  const run = await execa(process.execPath, [join(installed, "bin/baton.js")], { reject: false });
  expect(run.exitCode).toBe(4);
});
