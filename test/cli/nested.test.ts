// A value of a hundred thousand brackets is no reason to speak of a call stack.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { newPlace, type Place, run } from "./transcript.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

it("says that a value is nested too deeply", () => {
  const nested = `${'{"a":'.repeat(50_000)}1${"}".repeat(50_000)}`;
  const call = { id: "c1", type: "function", function: { name: "x", arguments: nested } };
  const path = join(place.root, "deep.json");
  const messages = [
    { role: "user", content: "hi" },
    { role: "assistant", tool_calls: [call] },
  ];
  writeFileSync(path, JSON.stringify(messages));
  const ran = run(place, `baton convert ${path} --to claude`);
  expect(ran.status).toBe(1);
  expect(ran.stderr).toContain("nested too deeply");
});
