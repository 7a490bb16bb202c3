// The launcher under a Node that is too old: it hands over to the bundled one, passes on arguments, streams,
// exit status and signals, and says what to do when there is no other Node. And which program it starts.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, rename, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { execa } from "execa";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { end } from "../../src/adapters/strays.ts";
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
  if (argv[0] === "write") process.stdout.write("x".repeat(Number(argv[1])) + "\\n");
  if (argv[0] === "leave") setTimeout(() => console.log("still here"), 60_000);
  if (argv[0] === "end-by-itself") {
    // Whatever main() is told to be over, only the event loop ends this one.
    process.exit = (() => undefined) as never;
    const { spawnSync } = await import("node:child_process");
    const child = spawnSync("sh", ["-c", "env; echo; ls /proc/self/fd"], { encoding: "utf8" });
    const [environment = "", fds = ""] = child.stdout.split("\\n\\n");
    const names = environment.split("\\n").filter((one) => /^(BATON|NODE_CHANNEL)/.test(one));
    const descriptors = fds.trim().split("\\n");
    console.log(JSON.stringify({ environment: names, channel: process.channel !== undefined, descriptors }));
    return 0;
  }
  if (argv[0] === "list" || argv[0] === "show") await import("./more.ts");
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
  await writeFile(join(root, "clone/src/cli/more.ts"), "export const more = (): string => 'more';");
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

  it("is not outlived by the program when it is killed", async ({ onTestFinished }) => {
    for (const [name, argv] of launchers) {
      const launcher = startWaiting(argv);
      const [line] = (await once(launcher.stdout!, "data")) as [Buffer];
      const pid = Number(line);
      onTestFinished(() => end(pid));
      expect(() => process.kill(pid, 0), name).not.toThrow();
      const output = text(launcher.stdout!);
      launcher.kill("SIGKILL");
      // The program has the other end of it, so that it ends when that is gone as well.
      expect(await output, name).toContain("got SIGHUP");
    }
  }, 20_000);

  it("does not keep the program, nor is it seen by what the program starts", async () => {
    const told = async (node: string, flags: readonly string[]) =>
      JSON.parse((await execa(node, [...flags, program(), "end-by-itself"], { timeout: 30_000 })).stdout);
    const direct = await told(process.execPath, []);
    expect(direct).toMatchObject({ environment: [], channel: false });
    for (const [name, [node, ...flags]] of launchers)
      expect(await told(node, flags), name).toEqual({ ...direct, channel: true });
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

async function layDown(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await cp("bin", join(folder, "bin"), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

const BUILT = { "package.json": '{"type":"module"}', "dist/cli/main.cjs": "exports.main = async () => 4;" };

async function statusOf(folder: string): Promise<number | undefined> {
  return (await execa(process.execPath, [join(folder, "bin/baton.js")], { reject: false })).exitCode;
}

it("runs the built program where there are no sources", async () => {
  const installed = join(root, "installed");
  await layDown(installed, BUILT);
  expect(await statusOf(installed)).toBe(4);
});

describe("a clone", () => {
  const MAIN = "src/cli/main.ts";
  const OTHER = "src/other.ts";
  const sources = { [MAIN]: "export const main = async () => 5;", [OTHER]: "export const one = 1;" };
  let clone: string;

  beforeEach(async () => {
    clone = await mkdtemp(join(root, "built-"));
    await layDown(clone, { ...BUILT, ...sources });
    const paths = ["package.json", "src", "src/cli", MAIN, OTHER];
    const stamps = paths.map(async (path) => {
      const { mtimeMs, size } = await stat(join(clone, path));
      return [path, mtimeMs, size];
    });
    await writeFile(join(clone, "dist/sources.json"), JSON.stringify(await Promise.all(stamps)));
  });

  it("runs what was built of its sources", async () => {
    expect(await statusOf(clone)).toBe(4);
  });

  const changes: Record<string, (path: (name: string) => string) => Promise<void>> = {
    "were edited": (path) => writeFile(path(OTHER), "export const one = 12;"),
    "were edited to the same length": (path) => writeFile(path(OTHER), "export const one = 2;"),
    "are older ones now": (path) => utimes(path(OTHER), 1000, 1000),
    "have a new one among them": (path) => writeFile(path("src/cli/new.ts"), ""),
    "have lost one": (path) => rm(path(OTHER)),
    "have one that is named otherwise": (path) => rename(path(OTHER), path("src/else.ts")),
    "came with another package.json": (path) => writeFile(path("package.json"), '{ "type": "module" }'),
    "were never built to the end": (path) => rm(path("dist/sources.json")),
    "have a list that is cut": (path) => truncate(path("dist/sources.json"), 20),
    "were built into what is gone": (path) => rm(path("dist/cli"), { recursive: true }),
  };

  it.each(Object.keys(changes))("runs its sources when they %s", async (name) => {
    await changes[name]?.((path) => join(clone, path));
    expect(await statusOf(clone)).toBe(5);
  });
});

describe("the end of the program", () => {
  it("comes when all is written, however slowly it is read", async () => {
    const bytes = 3 << 20;
    const child = spawn(process.execPath, [program(), "write", String(bytes)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let length = 0;
    for await (const piece of child.stdout) {
      length += piece.length;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(length).toBeGreaterThan(bytes);
  });

  it("waits for nothing that was left behind", async () => {
    const { stdout, exitCode } = await execa(process.execPath, [program(), "leave"], { timeout: 30_000 });
    expect(exitCode).toBe(0);
    expect(stdout).not.toContain("still here");
  });
});

it("takes what it has compiled, whichever command came before", async () => {
  const env = { NODE_DEBUG_NATIVE: "COMPILE_CACHE" };
  // A clone of which nothing was built.
  const launcher = join(root, "alone/bin/baton.js");
  const run = (command: string) => execa(process.execPath, [launcher, command], { env, extendEnv: false });
  const folders = new Set<string | undefined>();
  for (const command of ["list", "show"]) {
    const { stderr, stdout } = await run(command);
    folders.add(/creating cache directory (\S+?)\.\.\./.exec(`${stderr}${stdout}`)?.[1]);
  }
  // Flags, of which only the second has some, are part of the name.
  expect(folders.size).toBe(2);
  for (const command of ["list", "show", "list"]) {
    const { stderr, stdout } = await run(command);
    const said = `${stderr}${stdout}`.split("\n").filter((line) => line.includes("/cli/more.ts"));
    expect(said.some((line) => line.includes("was accepted"))).toBe(true);
    expect(said.filter((line) => line.includes("was rejected"))).toEqual([]);
  }
});
