// Transcripts: Markdown files whose `console` blocks are commands with what they print. A line "$ …" is run by
// a shell; what follows is its stdout, then its stderr with "! " before each line, then "? STATUS" unless it is 0.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const FIXTURES = fileURLToPath(new URL("fixtures", import.meta.url));
const LAUNCHER = fileURLToPath(new URL("../../bin/baton.js", import.meta.url));

export interface Place {
  root: string;
  home: string;
  env: NodeJS.ProcessEnv;
  remove(): void;
}

/** A private home with the fixtures' stores, and agents that only know their version. */
export function newPlace(): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "baton-cli-")));
  const home = join(root, "home");
  cpSync(join(FIXTURES, "home"), home, { recursive: true });
  // One time for all: sessions of the same age are in the same order however long this takes.
  const now = Date.now();
  for (const path of files(home)) makeAged(path, now);
  mkdirSync(join(root, "work"));
  mkdirSync(join(root, "bin"));
  const baton = `#!/bin/sh\nexec "${process.execPath}" "${LAUNCHER}" "$@"\n`;
  writeFileSync(join(root, "bin/baton"), baton, { mode: 0o755 });
  cpSync(join(FIXTURES, "bin"), join(root, "agents"), { recursive: true });
  const path = [join(root, "bin"), join(root, "agents"), "/usr/bin", "/bin"].join(":");
  return {
    root,
    home,
    env: { ROOT: root, HOME: home, PATH: path, TZ: "UTC", LANG: "C.UTF-8", TMPDIR: root },
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

export function files(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .sort();
}

/** The fixtures' sessions are an hour apart, so that "newest" does not depend on how they were copied. */
function makeAged(path: string, now: number): void {
  const hours = path.includes("/-home-me-blog/") ? 30 : path.includes("/-home-me-shop/") ? 3 : 2;
  const time = now / 1000 - hours * 3600;
  utimesSync(path, time, time);
}

export interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
}

export function run(place: Place, command: string): Ran {
  const { stdout, stderr, status } = spawnSync("/bin/sh", ["-c", command], {
    cwd: join(place.root, "work"),
    env: place.env,
    encoding: "utf8",
    input: "",
  });
  return { stdout, stderr, status };
}

/** Runs every command of a transcript in one place and writes down what happened in the same form. */
export function rerun(text: string, place: Place): string {
  return text.replace(/^(`{3,})console\n([\s\S]*?)^\1$/gm, (_, fence: string, block: string) => {
    const commands = block.split("\n").filter((line) => line.startsWith("$ "));
    const ran = commands.map((line) => `${line}\n${told(run(place, line.slice(2)), place)}`);
    return `${fence}console\n${ran.join("")}${fence}`;
  });
}

function told({ stdout, stderr, status }: Ran, place: Place): string {
  const lines = (text: string, mark: string) =>
    text
      .replace(/\n$/, "")
      .split("\n")
      .map((line) => `${mark}${line}`.trimEnd())
      .join("\n");
  const out = stdout === "" ? "" : `${lines(normal(stdout, place), "")}\n`;
  const err = stderr === "" ? "" : `${lines(normal(stderr, place), "! ")}\n`;
  return `${out}${err}${status === 0 ? "" : `? ${status}\n`}`;
}

/** What differs from run to run: the private folder, new ids, and times that are now. */
function normal(text: string, place: Place): string {
  return text
    .replaceAll(place.home, "~")
    .replaceAll(place.root, "/tmp")
    .replace(
      /\b(?!aaaaaaaa|bbbbbbbb|11111111|33333333|01999999)[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
      "<uuid>",
    )
    .replace(/\b(?!2026-01-0[12]T)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, "<time>")
    .replace(/(?<=\/backups\/\w+\.)[-\dT.]+Z-[0-9a-f]{6}/g, "<time>")
    .replace(
      /^(?!et8pwv8nnh56|vjz3zzzdv9zg|f94ref0whr4e|r259gktbpe9b)[0-9a-hjkmnp-tv-z]{12}(?= )/gm,
      "<session id>",
    )
    .replace(/\b[0-9a-f]{10}\b(?!-)/g, "<operation>")
    .replace(/\b(?!2026.01.02)\d{4}\/\d\d\/\d\d\/rollout-[-\dT]+-(?=<uuid>)/g, "<day>/rollout-<time>-")
    .replace(/\b\d+ (s|min|h|d|w|y) ago\b|\bjust now\b/g, "<age>")
    .replaceAll(process.versions.node, "<node>")
    .replaceAll(`"platform": "${process.platform}"`, '"platform": "<platform>"');
}
