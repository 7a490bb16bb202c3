// What would be published, tried for real: packed, installed into an empty prefix, and run.
import { existsSync } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, delimiter, join, resolve } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { files } from "../architecture/project.ts";
import { oldNodes } from "./old-node.ts";

const NOT_COPIED = new Set(["node_modules", ".git", "dist", "test", "bench"]);
const MINUTES = 60_000;

let root: string;
let tarball: string;
const installed = () => join(root, "prefix/lib/node_modules/baton-sessions");
const command = () => join(root, "prefix/bin/baton");

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "baton-install-"));
  await mkdir(join(root, "home"));
  await copyProject();
  tarball = await pack("first");
  // Another prefix means another global npmrc, and the machine's own may name a mirror or a certificate.
  const machine = (await execa("npm", ["config", "get", "globalconfig"])).stdout;
  const where = ["--prefix", join(root, "prefix"), "--globalconfig", machine, "--prefer-offline"];
  await execa("npm", ["install", "--global", ...where, tarball]);
}, 10 * MINUTES);

afterAll(() => rm(root, { recursive: true, force: true }));

/** A copy without its history, so that the checkout's own `dist` stays as it is. */
async function copyProject(): Promise<void> {
  await cp(".", join(root, "project"), {
    recursive: true,
    filter: (path) => !NOT_COPIED.has(basename(path)),
  });
  await symlink(resolve("node_modules"), join(root, "project/node_modules"));
}

async function pack(name: string): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder);
  const run = await execa("npm", ["pack", "--pack-destination", folder], { cwd: join(root, "project") });
  return join(folder, run.stdout.split("\n").at(-1) as string);
}

/** Runs the installed command as a stranger would: nothing of ours in PATH or HOME. */
function baton(args: readonly string[], node: readonly [string, ...string[]] = [process.execPath]) {
  const path = (process.env.PATH ?? "").split(delimiter).filter((folder) => !folder.includes("node_modules"));
  const env = { HOME: join(root, "home"), PATH: path.join(delimiter) };
  return execa(node[0], [...node.slice(1), command(), ...args], { env, extendEnv: false, reject: false });
}

function said(sessionId: string, content: string): string {
  const record = {
    type: "user",
    sessionId,
    uuid: sessionId,
    parentUuid: null,
    cwd: "/work",
    version: "2.1.0",
  };
  const message = { role: "user", content };
  return `${JSON.stringify({ ...record, timestamp: "2026-01-01T00:00:00.000Z", message })}\n`;
}

describe("the package", () => {
  it("holds the compiled program and no sources, tests or bundled Node", async () => {
    const listed = (await execa("tar", ["-tzf", tarball])).stdout.split("\n").map((line) => line.slice(8));
    expect(listed).toEqual(
      expect.arrayContaining([
        "bin/baton.js",
        "dist/cli/main.cjs",
        "schema/universal.schema.json",
        "LICENSE",
        "README.md",
      ]),
    );
    expect(
      listed.filter(
        (path) => !/^(bin|dist|docs|samples|schema)\/|^[A-Z]+(\.md)?$|^package\.json$/.test(path),
      ),
    ).toEqual([]);
    expect(listed.filter((path) => path.endsWith(".ts"))).toEqual([]);
  });

  it("holds every file that is started by its name", async () => {
    const named = files("src").flatMap(({ text }) => Array.from(text.matchAll(/([\w-]+)\$\{extname\(/g)));
    const names = named.map(([, name]) => `${name}.cjs`);
    expect(names.length).toBeGreaterThan(3);
    expect(await readdir(join(installed(), "dist/cli"))).toEqual(expect.arrayContaining(names));
  });

  it("holds the licences of the packages that were taken in", async () => {
    const text = await readFile(join(installed(), "dist/cli/packages.cjs"), "utf8");
    for (const name of ["commander", "picocolors"]) {
      const licence = await readFile(join("node_modules", name, "LICENSE"), "utf8");
      expect(text).toContain(licence.trim());
    }
  });

  it(
    "is the same when it is packed again",
    async () => {
      const again = await pack("second");
      expect((await readFile(again)).equals(await readFile(tarball))).toBe(true);
    },
    MINUTES,
  );

  it("satisfies publint", async () => {
    const run = await execa("publint", ["run", tarball, "--strict"], { preferLocal: true, all: true });
    expect(run.all).toContain("All good!");
  });
});

describe("the installed command", () => {
  it("brings everything it needs and no more", async () => {
    const { dependencies } = JSON.parse(await readFile("package.json", "utf8")) as { dependencies: object };
    const folder = join(installed(), "node_modules");
    const missing = Object.keys(dependencies).filter(
      (name) => !existsSync(join(folder, name, "package.json")),
    );
    expect(missing).toEqual([]);
    expect(await readdir(folder)).not.toContain("vitest");
  });

  it("says its version", async () => {
    const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
    expect((await baton(["--version"])).stdout).toBe(version);
  });

  it("prints the schema that is published beside it", async () => {
    const published = await readFile(join(installed(), "schema/universal.schema.json"), "utf8");
    expect(JSON.parse((await baton(["schema"])).stdout)).toEqual(JSON.parse(published));
  });

  it("lists an empty home", async () => {
    const run = await baton(["list", "--json"]);
    expect({ out: JSON.parse(run.stdout), code: run.exitCode }).toMatchObject({ out: { total: 0 }, code: 0 });
  });

  it("reads sessions in threads", async () => {
    const home = join(root, "busy");
    const folder = join(home, ".claude/projects/-work");
    await mkdir(folder, { recursive: true });
    const id = (number: number) => `${number}0000000-0000-4000-8000-000000000000`;
    // Enough for threads to be worth it.
    for (let number = 1; number <= 8; number++)
      await writeFile(join(folder, `${id(number)}.jsonl`), said(id(number), "word ".repeat(300_000)));
    const run = await baton(["sync", "--json", "--no-archive", "--home", home]);
    expect({ ...JSON.parse(run.stdout), stderr: run.stderr }).toMatchObject({
      added: 8,
      problems: 0,
      stderr: "",
    });
    const found = await baton(["search", "--json", "--home", home, "word"]);
    expect(JSON.parse(found.stdout)).toMatchObject({ total: 8 });
  });

  it("passes on the exit status", async () => {
    expect((await baton(["show", "no-such-session"])).exitCode).toBe(3);
  });

  // There is a Node to bring along for this platform only; elsewhere the launcher says what to do.
  it.runIf(process.platform === "linux" && process.arch === "x64")(
    "works under a Node that is too old",
    async () => {
      for (const [name, node] of await oldNodes(root)) {
        const run = await baton(["schema"], node);
        expect(run.exitCode, `${name}: ${run.stderr}`).toBe(0);
        expect(JSON.parse(run.stdout), name).toHaveProperty("$defs");
        expect((await baton(["show", "no-such-session"], node)).exitCode, name).toBe(3);
      }
    },
  );
});
