// What this adapter does not know of stays in a copy, and what a file outside the store cannot say is reported.
import { describe, expect, it } from "vitest";
import { gemini } from "../../../src/adapters/gemini/index.ts";
import { sourceOf } from "../../../src/session/source.ts";
import { bundle } from "../../../src/switch/bundle.ts";
import { thread } from "../../../src/transform/visible.ts";
import { assistant, user as prompt, session } from "../../session/build.ts";
import { model, opened, privateHome, put, targetIn, told, user, writtenTo } from "./store.ts";

const strange = { id: "s", timestamp: "2026-01-02T03:04:02.000Z", type: "vote", content: "up" };
const OTHER = "99999999-2222-4333-8444-555555555555";

describe("a message of an unknown type", () => {
  it("is reported as what it is", async () => {
    const source = await opened(user("u", "Q"), strange, model("m", "A"));
    expect(source.losses).toMatchObject([{ kind: "record_unknown", detail: "a message of type vote" }]);
  });

  it.each([
    ["on a line", [user("u", "Q"), strange, model("m", "A")]],
    ["in a list", [user("u", "Q"), { $set: { messages: [user("u", "Q"), strange] } }, model("m", "A")]],
    ["on a line and in a list", [user("u", "Q"), strange, { $set: { messages: [user("u", "Q"), strange] } }]],
  ])("survives a fork once, %s", async (_, records) => {
    const source = await opened(...records);
    const target = targetIn(await privateHome(), { originalId: OTHER });
    const { lines: copied } = await writtenTo(thread(source), target);
    expect(copied.filter(({ id }) => id === "s")).toEqual([strange]);
    const again = await opened(...copied.slice(1));
    expect(await told(again)).toEqual(await told(source));
  });

  it("is not counted among the lines that stay behind", async () => {
    const source = await opened(user("u", "Q"), strange, model("m", "A"));
    const target = targetIn(await privateHome(), { originalId: OTHER });
    expect((await writtenTo(thread(source), target)).losses).toEqual([]);
  });
});

describe("the folder of a session outside the store", () => {
  it("is named in the file of another agent's session", async () => {
    const home = await privateHome();
    const source = sourceOf(session([prompt("u1"), assistant("a1")]));
    const path = `${home.dir}/out.jsonl`;
    const { pieces } = await bundle({ source, to: gemini, home, path });
    const text = (await Array.fromAsync(pieces)).map(({ bytes }) => String(bytes)).join("");
    await put(home, "out.jsonl", text);
    const ref = await gemini.recognise(path);
    expect((await gemini.open(ref!)).header.project.path).toBe(source.header.project.path);
  });

  it("is reported where the lines of its own do not name it", async () => {
    const home = await privateHome();
    const more = { to: gemini, home, path: `${home.dir}/out.jsonl` };
    const bare = await bundle({ source: await opened(user("u", "Q"), model("m", "A")), ...more });
    await Array.fromAsync(bare.pieces);
    expect(bare.losses).toMatchObject([{ kind: "facts_dropped" }]);
    const set = { $set: { directories: ["/home/dev/project"] } };
    const named = await bundle({ source: await opened(user("u", "Q"), set, model("m", "A")), ...more });
    await Array.fromAsync(named.pieces);
    expect(named.losses).toEqual([]);
  });
});
