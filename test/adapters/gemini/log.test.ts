// The log as the CLI reads it: what comes again, what is taken back, what a list replaces, and results that stand
// there twice.
import { describe, expect, it } from "vitest";
import { visible } from "../../../src/transform/visible.ts";
import { called, lines, metadata, model, opened, openedText, response, told, user } from "./store.ts";

const context = user("ctx", "<session_context>\nToday …\n</session_context>");
const list = (...messages: object[]) => ({ $set: { messages } });

describe("a message that comes again", () => {
  it("takes the place of the earlier version, where that stood", async () => {
    const source = await opened(
      user("u1", "one"),
      model("g1", "half"),
      user("u2", "two"),
      model("g1", "whole"),
      model("g2", "end"),
    );
    expect(await told(source)).toEqual(["user one", "assistant whole", "user two", "assistant end"]);
    expect(source.skeleton.length).toBe(4);
    expect(source.losses).toEqual([]);
  });

  it("may only now have something to say", async () => {
    const calls = [called("c1", "glob", { pattern: "*" }, "a.txt")];
    const source = await opened(
      user("u1", "one"),
      model("g1", ""),
      model("g1", "", { toolCalls: calls }),
      user("u2", "two"),
    );
    expect(await told(source)).toEqual(["user one", "call c1", "result c1 a.txt", "user two"]);
  });
});

describe("a result", () => {
  it("that is kept twice counts once", async () => {
    const source = await opened(
      user("u1", "one"),
      model("g1", "look", { toolCalls: [called("c1", "glob", { pattern: "*" }, "a.txt")] }),
      {
        id: "r1",
        type: "user",
        timestamp: "2026-01-02T03:04:07.000Z",
        content: [response("c1", "glob", "a.txt")],
      },
      model("g2", "end"),
    );
    expect(await told(source)).toEqual([
      "user one",
      "assistant look",
      "call c1",
      "result c1 a.txt",
      "assistant end",
    ]);
  });

  it("that comes behind a compaction counts again, as the CLI compresses between a call and its result", async () => {
    const asked = [{ text: "look" }, { functionCall: { id: "c1", name: "glob", args: { pattern: "*" } } }];
    const answer = user("r1", "");
    const source = await opened(
      user("u1", "one"),
      model("g1", "look", { toolCalls: [called("c1", "glob", { pattern: "*" }, "a.txt")] }),
      list(user("s1", "the summary"), model("s2", "Got it."), { ...model("g3", ""), content: asked }),
      { ...answer, content: [response("c1", "glob", "a.txt")] },
      model("g2", "end"),
    );
    expect(await told(source)).toEqual([
      "user the summary",
      "assistant Got it.",
      "assistant look",
      "call c1",
      "result c1 a.txt",
      "assistant end",
    ]);
  });

  it.each([
    [{ output: "half", error: "then broke" }, "half\nthen broke"],
    [{ output: "done", exitCode: 3 }, 'done\n{"exitCode":3}'],
    [{ output: { rows: 2 } }, '{"rows":2}'],
    [{ rows: 2 }, '{"rows":2}'],
  ])("says everything that was answered: %j", async (answer, output) => {
    const piece = { functionResponse: { id: "c1", name: "glob", response: answer } };
    const kept = { id: "c1", name: "glob", args: {}, status: "success", result: [piece] };
    const source = await opened(user("u1", "one"), model("g1", "look", { toolCalls: [kept] }));
    expect(await told(source)).toContain(`result c1 ${output}`);
  });

  it("belongs to the next call of its tool, where calls have no ids", async () => {
    const calling = (path: string) => ({ functionCall: { name: "read_file", args: { file_path: path } } });
    const answer = (output: string) => ({ functionResponse: { name: "read_file", response: { output } } });
    const source = await opened(
      user("u1", "one"),
      { ...model("m2", ""), content: [calling("a"), calling("b")] },
      { ...user("r1", ""), content: [answer("A"), answer("B")] },
    );
    expect(await told(source)).toEqual([
      "user one",
      "call m2:read_file",
      "call m2:read_file-2",
      "result m2:read_file A",
      "result m2:read_file-2 B",
    ]);
    expect(source.losses).toEqual([]);
  });

  it("in a message of its own belongs to the call before it", async () => {
    const source = await opened(
      user("u1", "one"),
      { ...model("g1", ""), content: [{ functionCall: { id: "c1", name: "glob", args: { pattern: "*" } } }] },
      { ...user("r1", ""), content: [response("c1", "glob", "a.txt")] },
    );
    expect(await told(source)).toEqual(["user one", "call c1", "result c1 a.txt"]);
  });
});

describe("taking back", () => {
  it("leaves what was said as a branch", async () => {
    const source = await opened(
      user("u1", "one"),
      model("g1", "reply"),
      user("u2", "wrong"),
      model("g2", "wrong reply"),
      { $rewindTo: "u2" },
      user("u3", "right"),
    );
    expect(await told(source)).toEqual(["user one", "assistant reply", "user right"]);
    expect(source.skeleton.length).toBe(5);
    expect(source.losses).toEqual([]);
  });

  it("of an unknown message takes everything back", async () => {
    const source = await opened(user("u1", "one"), { $rewindTo: "nobody" });
    expect(await told(source)).toEqual([]);
    expect(source.skeleton.length).toBe(1);
  });

  it("may be the last that happened", async () => {
    const source = await opened(user("u1", "one"), model("g1", "reply"), user("u2", "gone"), {
      $rewindTo: "u2",
    });
    expect(await told(source)).toEqual(["user one", "assistant reply"]);
  });
});

describe("a list", () => {
  const first = [
    user("u1", "one"),
    model("g1", "look", {
      toolCalls: [called("c1", "glob", { pattern: "*" }, "a.txt")],
      tokens: { input: 10, output: 2, cached: 4, thoughts: 1, tool: 0, total: 13 },
    }),
    { ...user("r1", ""), content: [response("c1", "glob", "a.txt")] },
    model("g2", "found"),
  ];
  /** As the CLI writes the history down when it resumes the session. */
  const again = [
    context,
    user("u1", "one"),
    {
      ...model("g1", ""),
      content: [{ text: "look" }, { functionCall: { id: "c1", name: "glob", args: { pattern: "*" } } }],
    },
    { ...user("g1_response", ""), content: [response("c1", "glob", "a.txt")] },
    { ...user("r1", ""), content: [response("c1", "glob", "a.txt")] },
    { ...model("g2", ""), content: [{ text: "found" }] },
  ];
  const meant = ["user one", "assistant look", "call c1", "result c1 a.txt", "assistant found", "user two"];

  it("that repeats the history changes nothing", async () => {
    const source = await opened(...first, list(...again), user("u2", "two"));
    expect(await told(source)).toEqual(meant);
    expect(source.header.metadata.tokens).toMatchObject({ input: 6, output: 3, cacheRead: 4, reasoning: 1 });
    expect(source.skeleton.length).toBe(7);
  });

  it("may be emptied first", async () => {
    const source = await opened(...first, metadata, list(context), list(...again), user("u2", "two"));
    expect(await told(source)).toEqual(meant);
  });

  it("may hold messages that are new, with their results", async () => {
    const source = await opened(user("u1", "one"), list(...again), user("u2", "two"));
    expect(await told(source)).toEqual(meant);
  });

  it("without the last prompt takes it back", async () => {
    const source = await opened(...first, user("u2", "failed"), list(...again), user("u3", "two"));
    expect(await told(source)).toEqual(meant);
    expect(source.skeleton.length).toBe(8);
  });

  it("that begins anew and ends as before is a compaction", async () => {
    const kept = again.slice(-1);
    const source = await opened(
      ...first,
      list(context, user("s1", "They looked."), model("s2", "Got it."), ...kept),
      user("u2", "two"),
    );
    const after = ["user They looked.", "assistant Got it.", "assistant found", "user two"];
    expect(await told(source)).toEqual(after);
    const whole = await Array.fromAsync(source.entries());
    expect(whole.find(({ type }) => type === "compaction")).toMatchObject({ keeps: ["g2"] });
    const full = await Array.fromAsync(visible(source, { history: "full" }).entries());
    expect(full.map(({ id }) => id)).toContain("u1");
  });

  it("of a compaction may be repeated, added to and taken back from", async () => {
    const compacted = [context, user("s1", "They looked."), model("s2", "Got it."), ...again.slice(-1)];
    const source = await opened(
      ...first,
      list(...compacted),
      user("u2", "two"),
      list(...compacted, user("u2", "two")),
      { $rewindTo: "u2" },
      user("u3", "three"),
    );
    expect(await told(source)).toEqual([
      "user They looked.",
      "assistant Got it.",
      "assistant found",
      "user three",
    ]);
    const shorter = await opened(...first, list(...compacted), { $rewindTo: "s2" }, user("u3", "three"));
    expect(await told(shorter)).toEqual(["user They looked.", "user three"]);
  });
});

describe("a message that is not sent", () => {
  it("is a note, or context", async () => {
    const source = await opened(
      context,
      user("u1", "/stats"),
      user("u2", " ? what"),
      { ...user("i1", ""), type: "info", content: "Cancelled." },
      user("u3", "a prompt"),
    );
    const entries = await Array.fromAsync(source.entries());
    expect(entries.map(({ type, note, injected }) => [type, note, injected])).toEqual([
      ["system", undefined, true],
      ["user", true, undefined],
      ["user", true, undefined],
      ["system", true, undefined],
      ["user", undefined, undefined],
    ]);
    expect(await told(source)).toEqual(["user a prompt"]);
    expect(source.header.metadata.messageCount).toBe(3);
  });

  it("is sent when its first piece says that it is no thought", async () => {
    const source = await opened({
      ...user("u1", ""),
      content: [{ thought: false, text: "/etc is a folder" }],
    });
    expect(await told(source)).toEqual(["user /etc is a folder"]);
  });
});

it("is of the project whose folder it lies in, whatever folder its lines name", async () => {
  const source = await opened({ $set: { directories: ["/home/dev/elsewhere"] } }, user("u1", "one"));
  expect(source.header.project.path).toBe("/home/dev/project");
});

it("says which pieces of a message it does not understand", async () => {
  const source = await opened({
    ...user("u1", ""),
    content: [{ text: "one" }, { weird: 1 }, { fileData: { fileUri: "x" }, videoMetadata: { fps: 1 } }, 7],
  });
  expect(source.losses).toMatchObject([{ kind: "record_malformed", at: { entry: "u1", record: 1 } }]);
  expect(source.losses[0]?.detail).toMatch(/weird, videoMetadata, a piece of type number/);
  const known = await opened(user("u1", "one"), model("g1", "two"));
  expect(known.losses).toEqual([]);
});

it("reads two records on one line, where the CLI would lose both", async () => {
  const source = await openedText(
    `${lines(metadata)}${JSON.stringify(user("u1", "one"))}${JSON.stringify(model("g1", "two"))}\n`,
  );
  expect(await told(source)).toEqual(["user one", "assistant two"]);
  expect(source.losses.map(({ kind }) => kind)).toEqual(["record_glued"]);
});
