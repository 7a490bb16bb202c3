// A subagent that had a subagent of its own: in every agent's store all that was said is there, or its loss is named.
import { expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { sourceOf } from "../../src/session/source.ts";
import { entryText } from "../../src/session/text.ts";
import { carry } from "../../src/switch/carry.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { named, newWorld } from "./world.ts";

const link = (id: string, entry: string) => ({
  type: "subagent" as const,
  session: `universal:${id}`,
  entry,
});

const grandchild = session([user("t1"), assistant("t2")], { id: "grandchild" });
const child = session([user("s1"), call("d1"), result("d1"), assistant("s2")], {
  id: "child",
  links: [link("grandchild", "d1")],
  children: [grandchild],
});
const whole = session([user("u1"), call("c1"), result("c1"), assistant("a1")], {
  links: [link("child", "c1")],
  children: [child],
});

it.each(adapters.filter(({ write }) => write).map(({ id }) => id))("in %s", async (id) => {
  const { home, batonHome } = await newWorld();
  const to = named(id);
  const { losses } = await carry({ source: sourceOf(whole), to, home, batonHome, cwd: "/p", kind: "resume" });
  expect(losses.filter(({ severity }) => severity === "error")).toEqual([]);
  const said: string[] = [];
  for (const ref of to.discover(home)) {
    const source = await to.open(ref);
    for await (const entry of source.entries()) said.push(entryText(entry));
  }
  for (const words of ["replies a1", "replies s2", "replies t2"]) expect(said).toContain(words);
});
