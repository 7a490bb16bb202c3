// Calls joined with their results, as the vendors' APIs want them.
import { expect, it } from "vitest";
import type { Entry } from "../../src/session/session.ts";
import { exchanges } from "../../src/transform/exchanges.ts";
import { assistant, call, result, stream, user } from "../session/build.ts";

async function grouped(entries: Entry[]): Promise<string> {
  const groups: string[] = [];
  for await (const item of exchanges(stream(entries))) {
    if (item.type !== "exchange") groups.push(item.id);
    else groups.push(`[${item.pairs.map((pair) => `${pair.call.id}=${pair.result?.id ?? "?"}`).join(" ")}]`);
  }
  return groups.join(" ");
}

it("groups the calls of one message with their results, whatever their order", async () => {
  expect(
    await grouped([user("u1"), call("c1"), call("c2"), result("c2"), result("c1"), assistant("a1")]),
  ).toBe("u1 [c1=r1 c2=r2] a1");
});

it("starts a new group for a call that comes after a result", async () => {
  expect(await grouped([call("c1"), result("c1"), call("c2"), result("c2")])).toBe("[c1=r1] [c2=r2]");
  expect(await grouped([call("c1"), call("c2"), result("c1"), call("c3"), result("c3")])).toBe(
    "[c1=r1 c2=?] [c3=r3]",
  );
});

it("passes on calls without results and results without calls", async () => {
  expect(await grouped([call("c1"), user("u1"), result("c1")])).toBe("[c1=?] u1 r1");
  expect(await grouped([result("c9"), call("c1")])).toBe("r9 [c1=?]");
  expect(await grouped([])).toBe("");
});

it("takes the first result of a call and passes the second one on", async () => {
  expect(await grouped([call("c1"), call("c2"), result("c1"), result("c1", {}, "again"), result("c2")])).toBe(
    "[c1=r1 c2=?] again r2",
  );
});
