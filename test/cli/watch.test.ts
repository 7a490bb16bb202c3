// `sync --watch` as a process: it tells of changes as they come, and ends with Ctrl-C.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readlinkSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { newPlace, run } from "./transcript.ts";

/** A process that watches already, and what it says of each change. */
async function watching() {
  const place = newPlace();
  onTestFinished(() => place.remove());
  const child = spawn("baton", ["sync", "--watch", "--json"], { env: place.env, cwd: place.root });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value ?? "null");
  const { added } = await next();
  expect(added).toBeGreaterThan(0);
  // From here on it watches.
  for await (const text of createInterface({ input: child.stderr })) if (text.includes("Watching")) break;
  return { place, child, next, added };
}

it("syncs whenever a session grows or comes, also into a store that was not there", async () => {
  const { place, child, next, added } = await watching();
  const project = join(place.home, ".claude", "projects", "-a-new-one");
  mkdirSync(project);
  const prompt = {
    type: "user",
    uuid: "u1",
    parentUuid: null,
    sessionId: "s",
    message: { role: "user", content: "Hi" },
  };
  const session = join(project, "22222222-2222-4222-8222-222222222222.jsonl");
  appendFileSync(session, `${JSON.stringify(prompt)}\n`);
  expect(await next()).toMatchObject({ added: 1, updated: 0, removed: 0, unchanged: added });
  appendFileSync(session, `${JSON.stringify({ ...prompt, uuid: "u2", parentUuid: "u1" })}\n`);
  expect(await next()).toMatchObject({ added: 0, updated: 1, removed: 0, unchanged: added });

  const gemini = join(place.home, ".gemini", "tmp", "p", "chats", "session-2026-01-02T03-04-0199a213.jsonl");
  mkdirSync(dirname(gemini), { recursive: true });
  cpSync(session, gemini);
  expect(await next()).toMatchObject({ added: 1, removed: 0 });
  child.kill("SIGINT");
  expect(await once(child, "exit")).toEqual([130, null]);
});

it("archives a project whose folder was renamed under its new path", async () => {
  const { place, next } = await watching();
  const projects = join(place.home, ".claude", "projects");
  const before = run(place, "baton archive list --json").stdout;
  expect(before).not.toContain("-home-me-store");
  renameSync(join(projects, "-home-me-shop"), join(projects, "-home-me-store"));
  const { archived, ...report } = await next();
  expect(report).toMatchObject({ added: 0, updated: 0, removed: 0 });
  expect(archived.added).toBeGreaterThan(0);
  expect(run(place, "baton archive list --json").stdout).toContain("-home-me-store");
  expect(run(place, "baton archive list --gone --json").stdout).not.toContain("-home-me-shop");
});

it("goes on with the catalog that another process has made anew", async () => {
  const { place, child, next } = await watching();
  expect(run(place, "baton sync --rebuild --quiet").status).toBe(0);
  const projects = join(place.home, ".claude", "projects");
  const blog = join(projects, "-home-me-blog");
  const [file = ""] = readdirSync(blog);
  appendFileSync(join(blog, file), "{}\n");
  expect(await next()).toMatchObject({ added: 0, updated: 1, removed: 0 });
  // Only the catalog that it has opened now knows that this is the same session.
  renameSync(join(projects, "-home-me-shop"), join(projects, "-home-me-store"));
  expect(await next()).toMatchObject({ added: 0, updated: 0, removed: 0 });
  appendFileSync(join(blog, file), "{}\n");
  expect(await next()).toMatchObject({ added: 0, updated: 1, removed: 0 });
  if (process.platform !== "linux") return;
  const folder = `/proc/${child.pid}/fd`;
  const shards = readdirSync(folder)
    .map((name) => linkAt(join(folder, name)))
    .filter((link) => link.includes("shard-"));
  expect(shards.filter((link) => link.endsWith("(deleted)"))).toEqual([]);
});

function linkAt(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Closed since it was listed.
    return "";
  }
}
