// Disks, stores and outputs that do not behave: what could not be looked at is told, what was not done is not
// claimed, and nothing is left behind.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { session, user } from "../session/build.ts";
import { files, newPlace, type Place, run } from "./transcript.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const inHome = (path: string) => join(place.home, path);
const broken = () => {
  const ran = run(place, "baton doctor --json");
  return { status: ran.status, broken: JSON.parse(ran.stdout).broken.join("\n") as string };
};

describe("a part of a store that cannot be looked at", () => {
  it.each([
    ["a project", ".claude/projects/closed"],
    [
      "the folder of subagents",
      ".claude/projects/-home-me-shop/11111111-1111-4111-8111-111111111111/subagents",
    ],
    ["a session's file", ".claude/projects/-home-me-shop/55555555-5555-4555-8555-555555555555.jsonl"],
    ["a day", ".codex/sessions/2026/02"],
    [
      "a rollout",
      ".codex/sessions/2026/01/02/rollout-2026-01-02T11-00-00-01999999-0000-7000-8000-000000000009.jsonl",
    ],
  ])("is told: %s", (_, path) => {
    mkdirSync(join(inHome(path), ".."), { recursive: true });
    // A link to itself cannot be opened by anybody, not even by the superuser.
    symlinkSync(inHome(path), inHome(path));
    expect(broken()).toEqual({
      status: 1,
      broken: expect.stringContaining(`${inHome(path)} cannot be read: ELOOP`),
    });
    const ran = run(place, "baton list");
    expect(ran.status).toBe(0);
    expect(ran.stdout.split("\n").length).toBe(5);
    expect(ran.stderr).toMatch(
      /^warning: 1 place could not be looked at: .*ELOOP.*`baton doctor` shows all.\n$/,
    );
  });

  it.each([
    [".claude", "is a link to a place that is not there"],
    [".codex", "is a link to a place that is not there"],
    [".claude/projects", "cannot be read: ENOENT"],
    [".codex/sessions", "is a link to a place that is not there"],
  ])("is told when it is a link to nowhere: %s", (path, problem) => {
    rmSync(inHome(path), { recursive: true });
    symlinkSync("/no/such/disk", inHome(path));
    expect(broken()).toEqual({
      status: 1,
      broken: expect.stringContaining(`${inHome(path)} ${problem}`),
    });
  });

  it.each([
    [".claude", "is not a folder"],
    [".codex", "is not a folder"],
    [".claude/projects", "cannot be read: ENOTDIR"],
    [".codex/archived_sessions", "is not a folder"],
  ])("is told when a file stands in its place: %s", (path, problem) => {
    rmSync(inHome(path), { recursive: true, force: true });
    writeFileSync(inHome(path), "");
    expect(broken()).toEqual({ status: 1, broken: expect.stringContaining(`${inHome(path)} ${problem}`) });
  });

  it("is not told when it is not there at all", () => {
    rmSync(inHome(".claude"), { recursive: true });
    rmSync(inHome(".codex"), { recursive: true });
    expect(broken()).toEqual({ status: 0, broken: "" });
  });
});

describe("links", () => {
  const total = () => JSON.parse(run(place, "baton list --json").stdout).total;

  it("a year of Codex sessions on another disk is found, once, whatever else leads there", () => {
    renameSync(inHome(".codex/sessions/2026"), join(place.root, "2026"));
    symlinkSync(join(place.root, "2026"), inHome(".codex/sessions/2026"));
    symlinkSync("2026", inHome(".codex/sessions/again"));
    symlinkSync("..", inHome(".codex/sessions/back"));
    expect(total()).toBe(4);
    expect(run(place, "baton show latest:codex").stdout).toContain("There is one file");
  });

  it("a session named by a path through a link is the one in the store", () => {
    symlinkSync(place.home, join(place.root, "elsewhere"));
    const path = "$ROOT/elsewhere/.codex/sessions/2026/01/02/rollout-*.jsonl";
    const ran = run(place, `baton resume ${path} --json --cwd $ROOT`);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      originalId: "01999999-0000-7000-8000-000000000001",
      operation: null,
    });
  });

  it("a store behind a link is still the agent's own", () => {
    renameSync(inHome(".codex"), join(place.root, "moved"));
    symlinkSync(join(place.root, "moved"), inHome(".codex"));
    const path = "$ROOT/moved/sessions/2026/01/02/rollout-*.jsonl";
    expect(JSON.parse(run(place, `baton resume ${path} --json`).stdout).operation).toBeNull();
  });
});

describe("names", () => {
  const shown = (name: string) => run(place, `baton show ${name}`).stdout;

  it("a subagent has a slash in its id", () => {
    const parent = "11111111-1111-4111-8111-111111111111";
    const folder = inHome(`.claude/projects/-home-me-shop/${parent}/subagents`);
    mkdirSync(folder, { recursive: true });
    const line = {
      type: "user",
      uuid: "u1",
      sessionId: parent,
      cwd: "/home/me/shop",
      timestamp: "2026-01-02T10:00:00Z",
    };
    const message = { role: "user", content: "Count the stars" };
    writeFileSync(
      join(folder, "agent-abc.jsonl"),
      `${JSON.stringify({ ...line, isSidechain: true, agentId: "abc", message })}\n`,
    );
    expect(shown(`claude:${parent}/agent-abc`)).toContain("Count the stars");
    expect(shown(`claude:${parent}/age`)).toContain("Count the stars");
    expect(shown(`${parent}/agent-abc`)).toContain("Count the stars");
  });

  it("of exact copies the newest counts; others of one id are told apart by their files", () => {
    const parent = "11111111-1111-4111-8111-111111111111";
    const from = inHome(`.claude/projects/-home-me-shop/${parent}.jsonl`);
    const copy = inHome(`.claude/projects/-copy/${parent}.jsonl`);
    const count = () => JSON.parse(run(place, "baton list --json").stdout).total;
    const before = count();
    mkdirSync(inHome(".claude/projects/-copy"));
    writeFileSync(copy, readFileSync(from));
    expect(count()).toBe(before);
    expect(shown(parent)).toContain("Price rounding");
    writeFileSync(copy, `${readFileSync(from)}\n`);
    expect(count()).toBe(before + 1);
    const ran = run(place, `baton show ${parent}`);
    expect(ran.status).toBe(4);
    for (const path of [from, copy]) expect(ran.stderr).toContain(path);
    expect(ran.stderr).toContain("name the file of the one you mean");
  });

  it("a file that is called like a session does not hide it", () => {
    const notes = session([], { title: "My notes" });
    for (const name of ["latest", "11111111-1111", "et8pwv8nnh56", "notes", "abc"])
      writeFileSync(join(place.root, "work", name), JSON.stringify(notes));
    expect(shown("latest")).toContain("List the files");
    expect(shown("11111111-1111")).toContain("Price rounding");
    expect(shown("et8pwv8nnh56")).toContain("List the files");
    expect(shown("./latest")).toContain("My notes");
    expect(shown("notes")).toContain("My notes");
    expect(shown("abc")).toContain("My notes");
  });
});

describe("the folder to go on in", () => {
  const stored = () => files(place.home).join("\n");

  it.each(["resume latest:codex --in claude --exec", "resume latest:codex --exec"])(
    "has to be there before anything is written: baton %s",
    (command) => {
      const own = stored();
      expect(run(place, `baton ${command}`)).toMatchObject({
        status: 3,
        stderr: "error: The session's folder /home/me/shop is not here.\n--cwd DIR goes on in another one.\n",
      });
      expect(stored()).toBe(own);
    },
  );

  it.each([
    ["resume latest:codex", 1],
    ["resume latest:codex --in claude", 1],
    ["fork latest:codex", 1],
    ["resume latest:codex --cwd $ROOT", 0],
    ["resume latest:codex --in claude --cwd $ROOT", 0],
    ["fork latest:codex --cwd $ROOT", 0],
    ["fork latest:codex --cwd $ROOT/bin/baton", 1],
  ])("is warned of otherwise: baton %s", (command, count) => {
    const { command: made, warnings } = JSON.parse(run(place, `baton ${command} --json`).stdout);
    const about = warnings.filter((text: string) => text.endsWith("--cwd DIR goes on in another one."));
    expect(about.length).toBe(count);
    if (command.endsWith("--cwd $ROOT")) expect(made.cwd).toBe(place.root);
  });
});

describe("an agent that finds a session only in the folder it belongs to", () => {
  const made = () => {
    const ran = run(place, "baton resume latest:codex --in gemini --cwd $ROOT/bin --yes --json");
    return JSON.parse(ran.stdout).originalId as string;
  };

  it("is not sent into another one: a copy is", () => {
    const id = made();
    const ran = run(place, `baton resume gemini:${id} --cwd $ROOT/work`);
    expect(ran).toMatchObject({ status: 5, stdout: "" });
    expect(ran.stderr).toBe(
      `error: Gemini CLI finds this session only in its own folder, ${place.root}/bin.\n\`baton fork gemini:${id} --cwd ${place.root}/work\` makes a copy that goes on there.\n`,
    );
    const fork = run(place, `baton fork gemini:${id} --cwd ${place.root}/work --yes`);
    expect(fork.stdout).toMatch(`cd ${place.root}/work && gemini --resume `);
    expect(fork.stdout).not.toContain(id);
  });

  it("goes on in its own one, by whatever name, and elsewhere for one who is sure", () => {
    const id = made();
    symlinkSync(join(place.root, "bin"), join(place.root, "linked"));
    for (const folder of ["bin", "linked"]) {
      const ran = run(place, `baton resume gemini:${id} --cwd $ROOT/${folder} --yes`);
      expect(ran).toMatchObject({ status: 0, stderr: "" });
    }
    const sure = run(place, `baton resume gemini:${id} --cwd $ROOT/work --yes`);
    expect(sure).toMatchObject({ status: 0, stderr: expect.stringContaining("only in its own folder") });
  });

  it("is not recommended another one when its own is gone", () => {
    const id = made();
    renameSync(join(place.root, "bin"), join(place.root, "moved"));
    const ran = run(place, `$ROOT/moved/baton resume gemini:${id} --yes`);
    expect(ran.stderr).toBe(
      `warning: The session's folder ${place.root}/bin is not here. \`baton fork gemini:${id} --cwd DIR\` goes on in another one.\n`,
    );
  });
});

describe("outputs", () => {
  it.each(["list", "show latest", "schema", "nothing"])(
    "a full disk is one error: baton %s --json",
    (command) => {
      const ran = run(place, `baton ${command} --json > /dev/full`);
      expect(ran.status).toBe(command === "nothing" ? 2 : 1);
      expect(ran.stderr).toMatch(/^error: .*\n.*\n$/);
    },
  );

  it.each(["list --archived", "nothing", "doctor"])(
    "nobody reading the messages changes nothing: baton %s",
    (command) => {
      const status = run(place, `baton ${command}`).status;
      const ran = run(place, `{ baton ${command} 2>&3; echo $? >&4; } 4>status 3>&1 >/dev/null | :`);
      expect(ran.stderr).toBe("");
      expect(readFileSync(join(place.root, "work/status"), "utf8")).toBe(`${status}\n`);
    },
  );

  it("--json is one document, whatever the format", () => {
    for (const format of ["text", "markdown", "jsonl"]) {
      const ran = run(place, `baton show latest --json --format ${format}`);
      expect(ran.status).toBe(2);
      expect(JSON.parse(ran.stdout).error.message).toContain("--json is the universal document");
    }
    expect(run(place, "baton show latest --json --format json").status).toBe(0);
  });

  it("options without an effect say so", () => {
    const said = (command: string) => run(place, `baton ${command}`).stderr;
    expect(said("resume latest --history full")).toContain("warning: --history has no effect here");
    expect(said("resume latest --thinking convert")).toContain("warning: --thinking has no effect here");
    expect(said("resume latest:codex --in claude --history full")).not.toContain("no effect");
  });

  it("an empty name of an operation is no operation", () => {
    run(place, "baton resume latest:codex --in claude --cwd $ROOT");
    expect(run(place, 'baton undo ""').status).toBe(2);
    expect(run(place, "baton operations").stdout).toContain("done");
  });
});

describe("converting", () => {
  it("never touches a store, not even with --force", () => {
    const path = inHome(".claude/projects/-home-me-shop/11111111-1111-4111-8111-111111111111.jsonl");
    const before = readFileSync(path, "utf8");
    for (const options of [`-o ${path} --force`, `-o ${join(place.root, "x.md")} --losses ${path} --force`]) {
      const ran = run(place, `baton convert latest:codex --to markdown ${options}`);
      expect(ran.status).toBe(5);
      expect(ran.stderr).toContain("lies in the store of Claude Code");
    }
    expect(readFileSync(path, "utf8")).toBe(before);
    expect(existsSync(join(place.root, "x.md"))).toBe(false);
  });

  it("leaves nothing behind when the losses have no place", () => {
    const [one, two] = [join(place.root, "one.md"), join(place.root, "two.json")];
    writeFileSync(two, "mine");
    expect(run(place, `baton convert latest:codex --to markdown -o ${one} --losses ${two}`).status).toBe(5);
    expect(existsSync(one)).toBe(false);
    expect(run(place, `baton convert latest:codex --to markdown -o ${one} --losses ${one}`).status).toBe(2);
    expect(existsSync(one)).toBe(false);
  });
});

describe("our own data in a place that is no folder", () => {
  it("is a clear error, and the doctor still reports the agents", () => {
    place.env.BATON_HOME = join(place.root, "ours");
    writeFileSync(place.env.BATON_HOME, "a file");
    const ran = run(place, "baton resume latest:codex --in claude --cwd $ROOT");
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/^error: .*\/ours.* a file stands where a folder should be/);
    const report = run(place, "baton doctor");
    expect(report.status).toBe(1);
    expect(report.stdout).toContain("Claude Code 2.1.325");
    expect(report.stdout).toMatch(/✗ .*\/ours.* a file stands where a folder should be/);
  });
});

/** Only a namespace of our own can be given a disk that is read-only for the superuser too. */
const mayMount = spawnSync("unshare", ["-rm", "true"]).status === 0;

describe("a read-only disk", () => {
  it.skipIf(!mayMount)("is said to have been left alone, because nothing was written", () => {
    const store = inHome(".claude/projects");
    const mount = `mount --bind ${store} ${store} && mount -o remount,bind,ro ${store}`;
    const ran = run(
      place,
      `unshare -rm sh -c '${mount} && baton resume latest:codex --in claude --cwd $ROOT'`,
    );
    expect(ran.stderr).toContain(
      "because the disk is read-only.\nThe store is as it was. Make the disk writable",
    );
    expect(ran.status).toBe(1);
  });
});

describe("Ctrl-C or a polite kill", () => {
  it("in a proof leaves no copy of the session behind", async () => {
    const slow =
      '#!/bin/sh\n[ "$1" = --version ] && echo "codex-cli 0.166.0" && exit\necho > "$HOME/started"; sleep 60\n';
    writeFileSync(join(place.root, "agents/codex"), slow, { mode: 0o755 });
    const changes = watch(place.root, { recursive: true });
    const child = spawn("baton", ["verify", "latest:codex"], { env: place.env, cwd: place.root });
    for await (const { filename } of changes) if (filename?.endsWith("home/started")) break;
    child.kill("SIGINT");
    expect(await once(child, "exit")).toEqual([130, null]);
    expect(readdirSync(place.root).filter((name) => name.startsWith("baton-"))).toEqual([]);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("%s while a session is written leaves nothing in the store", async (signal, status) => {
    const text = "x".repeat(1000);
    const timeline = Array.from(
      { length: 60_000 },
      (_, at) => ({ ...user(`u${at}`), content: text }) as Entry,
    );
    writeFileSync(join(place.root, "long.json"), JSON.stringify(session(timeline)));
    const before = files(inHome(".claude"));
    const changes = watch(inHome(".claude"), { recursive: true });
    const child = spawn("baton", ["resume", "long.json", "--in", "claude", "--yes"], {
      env: place.env,
      cwd: place.root,
    });
    for await (const { filename } of changes) if (filename?.includes(".baton-")) break;
    child.kill(signal);
    expect(await once(child, "exit")).toEqual([status, null]);
    expect(files(inHome(".claude"))).toEqual(before);
    expect(run(place, "baton operations").stdout).toContain("failed");
  });

  it("a proof of nothing is refused", () => {
    const ran = run(place, "baton verify 33333333");
    expect(ran).toMatchObject({ status: 5, stdout: "" });
    expect(ran.stderr).toMatch(/^error: There is nothing to prove/);
    expect(existsSync(inHome(".baton"))).toBe(false);
  });
});
