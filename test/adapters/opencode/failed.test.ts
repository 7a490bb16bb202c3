// A result that failed stays a failure; the image beside its text has no place and is reported.
import { expect, it } from "vitest";
import { opencode } from "../../../src/adapters/opencode/index.ts";
import type { Entry } from "../../../src/session/session.ts";
import { sourceOf } from "../../../src/session/source.ts";
import { bundle } from "../../../src/switch/bundle.ts";
import { call, result, session, user } from "../../session/build.ts";

const image = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" } as const;

it.each([false, true])("success %s", async (success) => {
  const parts = [{ type: "text", text: "looked" }, image] as const;
  const answer = { ...result("c1"), success, parts: [...parts] } as Entry;
  const source = sourceOf(session([user("u1"), call("c1"), answer]));
  const home = { dir: "/nowhere", env: {} };
  const { pieces, losses } = await bundle({ source, to: opencode, home, path: "/nowhere/session.json" });
  const text = (await Array.fromAsync(pieces, ({ bytes }) => Buffer.from(bytes).toString("utf8"))).join("");
  expect(text.includes('"attachments"')).toBe(success);
  expect(/"status": ?"error"/.test(text)).toBe(!success);
  const dropped = losses.filter(({ kind }) => kind === "image_dropped");
  expect(dropped.map(({ at }) => at.entry)).toEqual(success ? [] : ["r1"]);
});

it("keeps the words of a failure that has no output", async () => {
  const answer = { ...result("c1"), success: false, output: "", error: "boom" } as Entry;
  const source = sourceOf(session([user("u1"), call("c1"), answer]));
  const home = { dir: "/nowhere", env: {} };
  const { pieces } = await bundle({ source, to: opencode, home, path: "/nowhere/session.json" });
  const text = (await Array.fromAsync(pieces, ({ bytes }) => Buffer.from(bytes).toString("utf8"))).join("");
  expect(text).toMatch(/"error": ?"boom"/);
});
