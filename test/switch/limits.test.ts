// An account that has reached a limit stays limited when a session of another agent is carried in, or turns of another
// one come back: their replies are not the agent's own.
import { appendFile, readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, describe, expect, it } from "vitest";
import type { Limit } from "../../src/adapters/adapter.ts";
import type { Entry } from "../../src/session/session.ts";
import { sourceOf } from "../../src/session/source.ts";
import { lines } from "../adapters/home.ts";
import { assistant, call, result, session, user } from "../session/build.ts";
import { MODELS, over } from "./over.ts";
import { begun, find, goesOn, named, newWorld, returned, type There, type World } from "./world.ts";

const MINUTE = 60_000;
const now = Date.now();
const refusedAt = now - 30 * MINUTE;
const SAID = "Usage limit reached, 429: try again in 2 hours";

/** What is asked and replied so long ago. */
function exchange(name: string, minutes: number, model: string): Entry[] {
  const timestamp = new Date(now - minutes * MINUTE).toISOString();
  return [user(`u${name}`), assistant(`a${name}`)].map((entry) => ({ ...entry, timestamp, model }));
}

/** Whoever ran it: for Claude Code a reply of any other model is none that an account could have got. */
const FOREIGN = "claude-sonnet-4-5-20250929";

type Refuse = (path: string, id: string) => Promise<void> | void;

/** The refusal at the end of a session, as each agent records one. */
const REFUSALS: Record<string, Refuse> = {
  async claude(path) {
    const parentUuid = (await readFile(path, "utf8")).match(/(?<="uuid":")[^"]+/g)?.at(-1);
    const message = { model: "<synthetic>", role: "assistant", content: [{ type: "text", text: SAID }] };
    const facts = { isApiErrorMessage: true, error: "rate_limit", apiErrorStatus: 429 };
    const uuid = "ffb22249-5f08-43bb-aae7-ca64f64280aa";
    const timestamp = new Date(refusedAt).toISOString();
    await appendFile(path, lines({ parentUuid, type: "assistant", uuid, timestamp, message, ...facts }));
  },
  async codex(path) {
    const error = { message: SAID, codex_error_info: "usage_limit_exceeded" };
    const payload = { type: "task_complete", last_agent_message: null, error };
    const ordinal = (await readFile(path, "utf8")).trimEnd().split("\n").length;
    const timestamp = new Date(refusedAt).toISOString();
    await appendFile(path, lines({ timestamp, ordinal, type: "event_msg", payload }));
  },
  async gemini(path) {
    const timestamp = new Date(refusedAt).toISOString();
    await appendFile(path, lines({ id: "refused", timestamp, type: "error", content: SAID }));
  },
  opencode(path, id) {
    const time = { created: refusedAt, completed: refusedAt };
    const error = { name: "APIError", data: { message: SAID, statusCode: 429 } };
    const data = JSON.stringify({ role: "assistant", time, error });
    const database = new DatabaseSync(path);
    const row = database.prepare("INSERT INTO message VALUES (?, ?, ?, ?, ?)");
    row.run("msg_refused", id, refusedAt, refusedAt, data);
    database.close();
  },
};

const AGENTS = Object.keys(REFUSALS);

describe.each(AGENTS)("%s", (id) => {
  const agent = named(id);
  const model = MODELS[id] ?? "";
  const other = id === "claude" ? "opencode" : "claude";
  const limited: Limit = { said: SAID, until: new Date(refusedAt + 120 * MINUTE).toISOString() };
  const limit = () => agent.limit?.(world.home, new Date(now));
  let world: World;
  let own: There;

  beforeEach(async () => {
    world = await newWorld();
    own = await begun(world, agent, exchange("1", 60, model));
    await REFUSALS[id]?.((await find(world, own)).ref.path, own.id);
    expect(await limit()).toEqual(limited);
  });

  it("is still limited when a session with a newer reply was carried in, until it answers itself", async () => {
    const there = await begun(world, named(other), exchange("2", 10, FOREIGN));
    const carried = await over(world, there, id);
    expect(await limit()).toEqual(limited);
    await goesOn(world, carried.there, exchange("3", 1, model));
    expect(await limit()).toBeUndefined();
  });

  it("is still limited when subagents were carried in with it", async () => {
    const started = Array.from({ length: 6 }, (_, at) => `c${at}`);
    const timeline = [user("u2"), ...started.flatMap((one) => [call(one), result(one)]), assistant("a2")];
    const links = started.map((entry) => ({
      type: "subagent" as const,
      session: `universal:${entry}`,
      entry,
    }));
    const children = started.map((one) => session(exchange(one, 10, FOREIGN), { id: one }));
    await over(world, sourceOf(session(timeline, { links, children })), id);
    expect(await limit()).toEqual(limited);
  });

  it("is still limited when newer turns came back to its own session, until it answers itself", async () => {
    const away = await over(world, own, other);
    await goesOn(world, away.there, exchange("2", 10, FOREIGN));
    expect(await returned(world, away.there)).toMatchObject({ isExtended: true, originalId: own.id });
    expect(await limit()).toEqual(limited);
    // Turns that come back later have only the mark behind them.
    for (const name of ["3", "4", "5", "6", "7"]) await goesOn(world, away.there, exchange(name, 5, FOREIGN));
    expect(await returned(world, away.there)).toMatchObject({ isExtended: true, originalId: own.id });
    expect(await limit()).toEqual(limited);
    await goesOn(world, own, exchange("8", 1, model));
    expect(await limit()).toBeUndefined();
  });
});
