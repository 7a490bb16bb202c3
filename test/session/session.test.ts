// Ids, titles, losses and the session as a stream.

import { describe, expect, it } from "vitest";
import { BatonError, EXIT_STATUS } from "../../src/session/error.ts";
import { sessionId } from "../../src/session/id.ts";
import { LOSSES, type LossName, loss } from "../../src/session/losses.ts";
import { collect, sourceOf } from "../../src/session/source.ts";
import { cleanSummary, cleanTitle } from "../../src/session/title.ts";
import { fc } from "../property.ts";
import { coreSession } from "./arbitrary.ts";
import { session, user } from "./build.ts";

describe("sessionId", () => {
  it("is twelve lower-case characters that depend on agent and native id alone", () => {
    const id = sessionId("agent", "native");
    expect(id).toMatch(/^[0-9a-z]{12}$/);
    expect(id).toBe(sessionId("agent", "native"));
    expect(id).not.toBe(sessionId("other", "native"));
    expect(id).not.toBe(sessionId("agent", "native2"));
  });

  it("never changes: people keep these ids", () => {
    expect(sessionId("agent", "0199aaaa-bbbb-7ccc-8ddd-eeeeffff0000")).toBe("n3r84tzh21z7");
  });
});

describe("titles and summaries", () => {
  it("are one line without control or direction characters", () => {
    expect(cleanTitle("  fix\n\n\tthe\u2028bug\u0000\u001b[31m \u202egnp.exe\u2069 ")).toBe(
      "fix the bug gnp.exe",
    );
  });

  it("have nothing of a terminal sequence in them", () => {
    expect(cleanTitle("\u001b]0;pwned\u0007 fix \u001b]8;;http://x\u001b\\the link\u001b]8;;\u001b\\")).toBe(
      "fix the link",
    );
  });

  it("are cut at 200 and 100 characters, never inside one", () => {
    expect(cleanTitle("a".repeat(200))).toBe("a".repeat(200));
    expect(Array.from(cleanTitle("😀".repeat(300)))).toEqual([...Array(199).fill("😀"), "…"]);
    expect(Array.from(cleanSummary("b".repeat(101)))).toHaveLength(100);
  });

  it("hold for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2000, size: "max" }), (text) => {
        const title = cleanTitle(text);
        expect(Array.from(title).length).toBeLessThanOrEqual(200);
        expect(title).not.toMatch(/ {2}|[\p{Cc}\p{Cs}\u2028\u2029\u202A-\u202E\u2066-\u2069]/u);
        expect(cleanTitle(title)).toBe(title);
      }),
    );
  });
});

describe("losses", () => {
  it("have a severity and a sentence for people", () => {
    for (const [kind, { severity, meaning }] of Object.entries(LOSSES)) {
      expect(kind).toMatch(/^[a-z]+(_[a-z]+)+$/);
      expect(["info", "warning", "error"]).toContain(severity);
      expect(meaning, kind).toMatch(/^[A-Z].*\.$/);
    }
  });

  it("take the usual severity unless the reporter knows better", () => {
    const kind: LossName = "image_dropped";
    expect(loss(kind, { entry: "e" }, "why").severity).toBe(LOSSES[kind].severity);
    expect(loss(kind, {}, "why", "error")).toEqual({ kind, severity: "error", at: {}, detail: "why" });
  });
});

it("every error code has an exit status of the published ones", () => {
  expect(new Set(Object.values(EXIT_STATUS)).difference(new Set([1, 2, 3, 4, 5, 6, 130])).size).toBe(0);
  const cause = new Error("deep");
  const error = new BatonError("not_found", "what", "next", cause);
  expect([error.code, error.message, error.hint, error.cause]).toEqual(["not_found", "what", "next", cause]);
});

describe("a session as a stream", () => {
  it("comes back as it was, records and children included", async () => {
    const child = session([user("x")], { id: "child" });
    const whole = session([user("a"), user("b")], { children: [child], records: [{ index: 0, raw: "{}" }] });
    expect(await collect(sourceOf(whole), { records: true })).toEqual(whole);
    expect(await collect(sourceOf(whole))).not.toHaveProperty("records");
  });

  it("comes back as it was for any document", async () => {
    await fc.assert(
      fc.asyncProperty(coreSession, async (document) => {
        expect(await collect(sourceOf(document))).toEqual(document);
      }),
    );
  });

  it("gives windows of its timeline", async () => {
    const source = sourceOf(session(["a", "b", "c", "d"].map((id) => user(id))));
    const ids = async (range: { from?: number; to?: number }) =>
      (await Array.fromAsync(source.entries(range))).map(({ id }) => id).join("");
    expect([await ids({ from: 1, to: 3 }), await ids({ from: 2 }), await ids({ to: 1 })]).toEqual([
      "bc",
      "cd",
      "a",
    ]);
  });
});
