// --redact hides secrets in everything that is printed or exported, of every agent; without it nothing of it is loaded.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry, Session } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { carry } from "../../src/switch/carry.ts";
import { emptyStore } from "../adapters/opencode/database.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { WORDS } from "../transform/secrets.ts";
import { newPlace, type Place, type Ran, run } from "./transcript.ts";

const SECRETS = WORDS.filter(({ kind }) => kind === "github-token" || kind === "jwt").map(
  ({ secret }) => secret,
);
const [SECRET = "", OTHER = ""] = SECRETS;
const writable = adapters.filter(({ write }) => write);

const timeline = [
  { ...user("u1"), content: `Use ${SECRET} to push.` },
  { ...call("c1"), input: { command: `git push https://me:${OTHER}@github.com/a/b` } },
  { ...result("c1"), output: `hello\n${SECRETS.join("\n")}\n` },
  assistant("a1", {
    parts: [
      { type: "thinking", text: `hm, ${SECRET}` },
      { type: "text", text: OTHER },
    ],
  }),
] as Entry[];
const given: Session = session(timeline, {
  title: `Push with ${SECRET}`,
  project: { path: "/home/me/shop" },
});

interface Found {
  hits: { snippet: string; marks: [number, number][] }[];
}

let place: Place;
beforeAll(async () => {
  place = newPlace();
  emptyStore(place.home);
  writeFileSync(join(place.root, "work/given.json"), JSON.stringify(given));
  for (const to of writable) {
    const home = { dir: place.home, env: {} };
    await carry({ source: sourceOf(given), to, home, batonHome: join(place.root, "else"), kind: "resume" });
  }
});
afterAll(() => place.remove());

const all = ({ stdout, stderr }: Ran) => `${stdout}${stderr}`;
const secretsIn = (text: string) => SECRETS.filter((secret) => text.includes(secret));

/** What is printed with and without --redact: only then does it prove something. */
function both(command: string): { open: string; hidden: string } {
  const hidden = run(place, `${command} --redact`);
  expect([hidden.status, hidden.stderr]).toEqual([0, expect.any(String)]);
  return { open: all(run(place, command)), hidden: all(hidden) };
}

describe.each(writable.map(({ id }) => id))("a session of %s", (agent) => {
  it.each(["text --verbose", "text", "json", "jsonl", "markdown", "html"])("is shown as %s", (format) => {
    const { open, hidden } = both(`baton show latest:${agent} --format ${format}`);
    expect(secretsIn(open)).not.toEqual([]);
    expect(secretsIn(hidden)).toEqual([]);
    expect(hidden).toMatch(/\[redacted: (?:github-token|jwt) \d\]/);
  });

  it.each(["claude", "codex", "gemini", "opencode", "ucf", "atif", "universal", "openai-responses"])(
    "is converted to %s",
    (to) => {
      const file = join(place.root, `work/${agent}-${to}`);
      const ran = run(place, `baton convert latest:${agent} --to ${to} -o ${file} --redact`);
      expect(ran.status).toBe(0);
      expect(ran.stderr).toContain("Keys, tokens and passwords were replaced by marks");
      const text = readFileSync(file, "latin1");
      expect(secretsIn(text)).toEqual([]);
      expect(text).toContain("[redacted: github-token 1]");
    },
  );
});

describe("what is printed of sessions", () => {
  it.each([
    "baton list",
    "baton list --json",
    "baton list --format session-index",
    "baton replay ./given.json",
    "baton replay ./given.json --verbose",
    "baton replay ./given.json --json",
    "baton compare ./given.json latest:codex --json",
  ])("%s", (command) => {
    const { open, hidden } = both(command);
    expect(secretsIn(open)).not.toEqual([]);
    expect(secretsIn(hidden)).toEqual([]);
  });

  it.each([
    "baton doctor --json --verbose",
    "baton status --json",
    "baton compare ./given.json latest:codex",
  ])("%s, which seldom quotes any", (command) => {
    expect(secretsIn(both(command).hidden)).toEqual([]);
  });

  it("hides secrets in titles before they are cut to the width of the terminal", () => {
    const narrow = { ...place, env: { ...place.env, COLUMNS: "80" } };
    expect(run(narrow, "baton list").stdout).toContain(SECRET.slice(0, 8));
    const { stdout } = run(narrow, "baton list --redact");
    expect(stdout).not.toContain(SECRET.slice(0, 8));
    expect(stdout).toContain("Push with [redacted: ");
  });

  it("hides secrets in what a search finds, also where it finds nothing else", () => {
    const found = run(place, "baton search push --redact");
    expect(secretsIn(found.stdout)).toEqual([]);
    expect(found.stdout).toContain("Use [redacted: github-token 1] to «push».");
    const [hit] = (JSON.parse(run(place, "baton search push --json --redact").stdout) as Found).hits;
    expect(hit?.marks.map(([from, to]) => hit.snippet.slice(from, to).toLowerCase())).toContain("push");
    const secret = run(place, `baton search ${SECRET} --redact`);
    expect(secretsIn(all(secret))).toEqual([]);
    expect(secret.stdout).toContain("What was found is hidden");
    expect(secretsIn(run(place, `baton search ${SECRET}`).stdout)).toContain(SECRET);
  });

  it("has the same mark for the same secret", () => {
    const { stdout } = run(place, "baton show ./given.json --redact");
    expect(stdout).toContain("Push with [redacted: github-token 1]");
    expect(stdout).toContain("Use [redacted: github-token 1] to push.");
  });

  it("says what was hidden", () => {
    const { stderr } = run(place, "baton show ./given.json --redact");
    expect(stderr).toMatch(/^warning: Keys, tokens and passwords were replaced by marks: /);
    expect(run(place, "baton show ./given.json --redact --quiet").stderr).toBe("");
  });

  it("hides secrets in errors", () => {
    const ran = run(place, `baton show ${SECRET} --redact`);
    expect(ran.status).toBe(3);
    expect(secretsIn(all(ran))).toEqual([]);
    const json = run(place, `baton show ${SECRET} --redact --json`);
    expect(secretsIn(all(json))).toEqual([]);
    expect(json.stdout).toContain("[redacted: github-token 1]");
    expect(secretsIn(all(run(place, `baton --wrong=${SECRET} list --redact`)))).toEqual([]);
  });
});

describe("the folder of a session", () => {
  const folder = `/home/me/${SECRET}`;
  const own = newPlace();
  afterAll(() => own.remove());
  beforeAll(() => {
    const path = join(own.root, "work/given.json");
    writeFileSync(path, JSON.stringify({ ...given, project: { path: folder } }));
  });

  it.each([
    "show ./given.json",
    "show ./given.json --format json",
    "show ./given.json --format html",
    "convert ./given.json --to claude",
    "convert ./given.json --to codex",
    "convert ./given.json --to atif",
    "convert ./given.json --to ucf",
  ])("is printed without secrets: %s", (command) => {
    const { stdout, status } = run(own, `baton ${command} --redact`);
    expect(status).toBe(0);
    expect(secretsIn(stdout)).toEqual([]);
    expect(run(own, `baton ${command}`).stdout).toContain(SECRET);
  });

  it("stays where the session is carried, because its agent works there", () => {
    const ran = run(own, "baton resume ./given.json --in claude --redact --yes --json");
    expect(ran.status).toBe(0);
    const { path } = JSON.parse(run(own, "baton list --agent claude --json").stdout).sessions[0];
    expect(readFileSync(path, "utf8")).toContain(`"cwd":${JSON.stringify(folder)}`);
  });
});

describe("a secret that only its name gives away", () => {
  const own = newPlace();
  afterAll(() => own.remove());
  beforeAll(async () => {
    const secret = "hunter2secretZ9";
    const entries = [
      { ...user("u1"), content: `token again: ${secret} lonely` },
      { ...result("c1"), output: `filler ${"word ".repeat(400)}\nDB_PASSWORD=${secret}\n` },
    ];
    const timeline = [entries[0], call("c1"), entries[1], assistant("a1")] as Entry[];
    const [to] = writable;
    if (!to) throw new Error("nothing can be written");
    const home = { dir: own.home, env: {} };
    const source = sourceOf(session(timeline, { title: "Plain", project: { path: "/home/me/shop" } }));
    await carry({ source, to, home, batonHome: join(own.root, "else"), kind: "resume" });
  });

  it("is hidden in every hit, and the marks stand where the words are", () => {
    const command = "baton search 'hunter2secretZ9 OR lonely' --redact";
    const text = run(own, command).stdout;
    expect(text).not.toContain("hunter2secretZ9");
    expect(text).toContain("again: [redacted: password 1] «lonely»");
    const { hits } = JSON.parse(run(own, `${command} --json`).stdout) as Found;
    const words = hits.flatMap(({ snippet, marks }) => marks.map(([from, to]) => snippet.slice(from, to)));
    expect(words).toEqual(["lonely"]);
  });
});

describe("the files of an older version", () => {
  it("are refused, because nothing can be hidden in them", () => {
    expect(run(place, "baton archive --quiet").status).toBe(0);
    const folder = join(place.root, "work/version");
    const ran = run(place, `baton archive versions latest --write ${folder} --redact`);
    expect(ran.status).toBe(5);
    expect(ran.stderr).toContain("native bytes, in which --redact hides nothing");
    expect(existsSync(folder)).toBe(false);
    expect(run(place, `baton archive versions latest --write ${folder}`).status).toBe(0);
  });
});

describe("carrying", () => {
  const [from = "", to = ""] = writable.map(({ id }) => id);

  it.each(["", " --json"])("writes the session without secrets and says so%s", (json) => {
    const ran = run(place, `baton resume ./given.json --in ${to} --redact --yes${json}`);
    expect(ran.status).toBe(0);
    expect(secretsIn(all(ran))).toEqual([]);
    expect(all(ran)).toContain("Keys, tokens and passwords were replaced by marks");
    const shown = run(place, `baton show latest:${to} --format json`).stdout;
    expect(secretsIn(shown)).toEqual([]);
    expect(shown).toContain("[redacted: github-token 1]");
  });

  it("makes a copy in the same agent without secrets", () => {
    const ran = run(place, `baton fork latest:${from} --redact --yes --json`);
    expect(ran.status).toBe(0);
    const { path, originalId } = JSON.parse(ran.stdout) as { path: string; originalId: string };
    expect(secretsIn(readFileSync(path, "latin1"))).toEqual([]);
    expect(secretsIn(run(place, `baton show ${from}:${originalId} --format json`).stdout)).toEqual([]);
    expect(
      run(place, `baton undo ${(JSON.parse(ran.stdout) as { operation: string }).operation}`).status,
    ).toBe(0);
  });

  it("says that the agent's own session stays as it is", () => {
    const ran = run(place, `baton resume latest:${from} --redact --yes`);
    expect(ran.stderr).toContain("--redact hides nothing from the agent here");
  });
});

describe("without --redact", () => {
  const watcher = `import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (/secretlint|transform\\/redact\\.ts/.test(name)) process.stderr.write("loaded " + name + "\\n");
      return next(name, context);
    } });`;

  it("nothing of it is loaded", () => {
    const path = join(place.root, "work/watcher.mjs");
    writeFileSync(path, watcher);
    const env = { ...place.env, NODE_OPTIONS: `--import=${pathToFileURL(path).href}` };
    for (const command of ["baton list", "baton show ./given.json", "baton resume latest --dry-run --yes"])
      expect(run({ ...place, env }, command).stderr).not.toContain("loaded");
    expect(run({ ...place, env }, "baton show ./given.json --redact").stderr).toContain(
      "loaded @secretlint/",
    );
  });
});
