// What a request may hold beyond the session: what the CLI says by itself, and notes that were announced.
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/loopback/request.ts";
import { loss } from "../../src/session/losses.ts";
import { call, result, user } from "../session/build.ts";
import { answers, calls, compared, says, thread, wire } from "./request.ts";

const PNG = "iVBORw0KGgo=";

describe("notes", () => {
  const pdf = { type: "document" as const, mimeType: "application/pdf", data: PNG, name: "a.pdf" };
  const losses = [
    loss("document_dropped", { entry: "u1" }, "a.pdf (application/pdf): files/a.pdf"),
    loss("document_dropped", { entry: "r1" }, "a.pdf (application/pdf): files/b.pdf"),
  ];
  const entries = [
    user("u1", { parts: [{ type: "text", text: "look" }, pdf] }),
    call("c1"),
    result("c1", { parts: [{ type: "text", text: "output of c1" }, pdf] }),
  ];
  const noted = (first: string, second: string): Message[] => [
    {
      role: "user",
      blocks: [
        { type: "text", text: "look" },
        { type: "text", text: first },
      ],
    },
    calls("c1", { command: "run c1" }),
    answers("c1", `output of c1\n${second}`),
  ];
  const first = "[Document a.pdf (application/pdf): files/a.pdf]";
  const second = "[Document a.pdf (application/pdf): files/b.pdf]";

  it("may stand for what was announced, once each and as announced", async () => {
    const found = await compared(entries, noted(first, second), { losses });
    expect(found.unexpected).toEqual([]);
    expect(found.missing.map(({ type, named }) => [type, named])).toEqual([
      ["document", "document_dropped"],
      ["document", "document_dropped"],
    ]);
    const other = await compared(entries, noted("[Document b.pdf]", second), { losses });
    expect(other.unexpected).toHaveLength(1);
    const twice = await compared(entries, noted(first, `${second}\n${second}`), { losses });
    expect(twice.missing).toContainEqual(expect.objectContaining({ type: "result" }));
    const silent = await compared(entries, noted(first, second));
    expect(silent.unexpected).toHaveLength(1);
    expect(silent.missing.map(({ named }) => named)).toEqual([undefined, undefined, undefined]);
  });
});

describe("strangers", () => {
  it("are replies, calls and results that nobody made", async () => {
    const found = await compared(thread, [
      ...wire,
      says("assistant", "No response requested."),
      calls("c9", { command: "ls" }),
      answers("c9", "files"),
    ]);
    expect(found.unexpected.map(({ type }) => type)).toEqual(["text", "call", "result"]);
    expect(found.facts.kept).toBe(7);
    const known = await compared(thread, [...wire, says("assistant", "No response requested.")], {
      fillers: ["No response requested."],
    });
    expect(known).toMatchObject({ unexpected: [], injected: ["No response requested."] });
  });

  it("are history that the model must not see", async () => {
    const hidden = ["the subagent looked into the parser", "Short."];
    const leak = says("user", "Earlier: the subagent looked into the parser and was short");
    const found = await compared(thread, [...wire, leak], { hidden });
    expect(found.unexpected).toMatchObject([{ reason: "history that the model must not see" }]);
    const [short] = (await compared(thread, [...wire, says("user", "Short.")], { hidden })).unexpected;
    expect(short).toMatchObject({ excerpt: "Short.", reason: "history that the model must not see" });
    const quoted = await compared(
      [user("u1", { parts: [{ type: "text", text: hidden[0]! }] })],
      [says("user", hidden[0]!)],
      {
        hidden,
      },
    );
    expect(quoted.unexpected).toEqual([]);
  });

  it("are messages that are told twice", async () => {
    const found = await compared(thread, [...wire, says("user", "says u1")]);
    expect(found.unexpected).toMatchObject([{ type: "text", reason: "said more than once" }]);
  });

  it("are not what was said after the session, if it is there", async () => {
    const after = [{ type: "text" as const, role: "user" as const, text: "the question", entry: "prompt" }];
    const found = await compared(thread, [...wire, says("user", "the question")], { after });
    expect(found).toMatchObject({ facts: { total: 7, kept: 7 }, missing: [], unexpected: [], injected: [] });
    expect((await compared(thread, wire, { after })).missing).toMatchObject([{ entry: "prompt" }]);
  });
});
