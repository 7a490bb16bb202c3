// convert by the command line: from a session, from a file and from stdin, into every format and back.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { formats } from "../../src/formats/index.ts";
import { newPlace, type Place } from "./transcript.ts";

let place: Place;
beforeAll(() => {
  place = newPlace();
});
afterAll(() => place.remove());

function baton(
  args: readonly string[],
  input = "",
): { status: number | null; stdout: string; stderr: string } {
  const cwd = join(place.root, "work");
  return spawnSync("baton", args, { env: place.env, cwd, input, encoding: "utf8" });
}

const readable = formats.filter(({ read }) => read).map(({ id }) => id);
const PROMPT = "Fix the price rounding";

describe.each(readable)("%s", (id) => {
  it("is written from a session, and read from a file and from stdin", () => {
    const file = `session.${id}`;
    const losses = `${id}.losses.json`;
    const made = baton(["convert", "11111111-1111", "--to", id, "-o", file, "--losses", losses, "--quiet"]);
    expect({ status: made.status, stderr: made.stderr }).toMatchObject({ status: 0 });
    const text = readFileSync(join(place.root, "work", file), "utf8");
    expect(text).toContain(PROMPT);
    for (const named of [[], ["--from", id]]) {
      const back = baton(["convert", "-", ...named, "--to", "universal"], text);
      expect(back.status, back.stderr).toBe(0);
      const { timeline } = JSON.parse(back.stdout);
      const types = new Set(timeline.map(({ type }: { type: string }) => type));
      expect([...types]).toEqual(expect.arrayContaining(["user", "assistant", "tool_call", "tool_result"]));
    }
    const shown = baton(["convert", `./${file}`, "--to", "markdown"]);
    expect(shown.stdout).toContain(PROMPT);
  });

  it("that is no such file is a clear error", () => {
    const { status, stderr } = baton(["convert", "-", "--from", id, "--to", "markdown"], "{ broken");
    expect(status).toBe(1);
    expect(stderr).toMatch(/^error: stdin.* not JSON/m);
    expect(stderr).not.toContain(place.root);
  });
});

it("a page is written, and shown", () => {
  const { stdout } = baton(["show", "11111111-1111", "--format", "html"]);
  expect(stdout).toMatch(/^<!doctype html>/);
  expect(stdout).toContain(PROMPT);
  expect(baton(["convert", "11111111-1111", "--to", "html"]).stdout).toContain(PROMPT);
});

it("schemas are printed", () => {
  expect(JSON.parse(baton(["schema", "ucf"]).stdout).title).toBe("Unified Conversation Format 1.0");
});
