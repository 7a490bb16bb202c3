// One user with several CLIs in one home, and a strict model. A session is switched from one to the next, whose real
// CLI resumes it, and what that tells the model is compared with what was prepared.
import { createHash } from "node:crypto";
import { lstat, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";
import type { Home, SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Exchange } from "../../src/loopback/log.ts";
import type { Loss } from "../../src/session/losses.ts";
import type { Source } from "../../src/session/source.ts";
import type { ProviderSwitch } from "../../src/switch/lineage.ts";
import { type Prepared, prepareSwitch } from "../../src/switch/prepare-switch.ts";
import type { Strategy } from "../../src/switch/reduction.ts";
import type { Summarizer } from "../../src/switch/summarize.ts";
import { type Switched, type SwitchOver, switchOver } from "../../src/switch/switch-over.ts";
import { compare } from "../../src/verify/compare.ts";
import { type Fact, factsOf } from "../../src/verify/facts.ts";
import { layDown } from "../../src/verify/run.ts";
import { openPlace, openRig, type Place, type Replies, type Rig, type Turn } from "./harness.ts";
import type { CliName } from "./install.ts";
import { adapterOf, homeAt } from "./read.ts";

export interface User {
  place: Place;
  rig(name: CliName): Rig;
  home: Home;
  batonHome: string;
}

/** A session and whose it is. */
export interface There {
  agent: CliName;
  id: string;
}

/** What the user has set each CLI to, which need not be what it would take by itself. */
export const MODELS: Readonly<Record<CliName, string>> = {
  claude: "claude-sonnet-5",
  gemini: "gemini-2.5-pro",
  codex: "gpt-5.5",
  opencode: "sim/sim-model",
};

export async function withUser(names: readonly CliName[], use: (user: User) => Promise<void>): Promise<void> {
  const place = await openPlace();
  try {
    const rigs = new Map<string, Rig>();
    for (const name of names) rigs.set(name, await openRig(name, { place }));
    const { home } = place.cell;
    await rigs.get("gemini")?.configure(withModel);
    await layDown(home, { ".claude/settings.json": JSON.stringify({ model: MODELS.claude }) });
    await use({
      place,
      rig: (name) => rigs.get(name) as Rig,
      home: homeAt(home),
      batonHome: join(home, ".baton"),
    });
    expect(place.loopback.refusals.filter(({ foreign }) => foreign)).toEqual([]);
  } finally {
    await place.close();
  }
}

function withModel(settings: string): string {
  return JSON.stringify({ ...JSON.parse(settings), model: { name: MODELS.gemini } });
}

export async function find(
  { home }: Pick<User, "home">,
  { agent, id }: There,
): Promise<{ ref: SessionRef; source: Source }> {
  const adapter = adapterOf(agent);
  for await (const ref of adapter.discover(home))
    if (ref.originalId === id) return { ref, source: await adapter.open(ref) };
  throw new Error(`${agent} has no session ${id}`);
}

export type Wish = Partial<Pick<SwitchOver, "options" | "summarizer" | "reason" | "now" | "model" | "anew">>;

/** As src/cli/continue.ts asks for it. */
export async function requestFor(user: User, from: There, to: CliName, wish: Wish = {}): Promise<SwitchOver> {
  const { ref, source } = await find(user, from);
  const { home, batonHome } = user;
  const installed = user.rig(to).cli;
  return {
    source,
    from: ref,
    to: adapterOf(to),
    home,
    batonHome,
    adapters,
    kind: "resume",
    asks: true,
    installed,
    ...wish,
  };
}

/** What recent turns may fill of a budget, see reduction.ts. */
const RECENT = 0.75;

/** A budget that leaves room for so many tokens of recent turns. */
export function reducing(strategy: Strategy, room: number): Wish {
  return { options: { summarizationStrategy: strategy, budget: Math.ceil(room / RECENT) } };
}

export interface Hop {
  there: There;
  /** How many entries it had when it was written. */
  length: number;
  prepared: Prepared;
  promised: readonly Fact[];
  switched: Switched;
  turn: Turn;
  /** What the CLI told the model first, and the texts of it in order without what the CLI says by itself. */
  asked: Exchange;
  told: readonly string[];
}

/** Switches, resumes with the real CLI, and expects its request to hold what was prepared and nothing else. */
export async function hop(
  user: User,
  from: There,
  to: CliName,
  prompt: string,
  replies: Replies,
  wish: Wish = {},
): Promise<Hop> {
  const request = await requestFor(user, from, to, { now: new Date(), ...wish });
  const prepared = await prepareSwitch(request);
  const promised = await Array.fromAsync(factsOf(prepared.stream()));
  const switched = await switchOver(request);
  expect(switched.isReused).toBeUndefined();
  const there = { agent: to, id: switched.originalId };
  const { length } = (await find(user, there)).source.skeleton;
  const went = await resumed(user, there, prompt, replies, promised, switched.losses);
  return { there, length, prepared, promised, switched, ...went };
}

/** The CLI goes on, and what it tells the model is compared with what was meant; without losses it is its own session. */
export async function resumed(
  user: User,
  { agent, id }: There,
  prompt: string,
  replies: Replies,
  promised: readonly Fact[],
  losses?: readonly Loss[],
): Promise<Pick<Hop, "turn" | "asked" | "told">> {
  const rig = user.rig(agent);
  const own = await rig.start("Say nothing of this", [{ text: "Nothing." }]);
  const turn = await rig.resume(id, prompt, replies);
  expect(turn, turn.stderr).toMatchObject({ id, exitCode: 0 });
  expect([...own.requests, ...turn.requests].flatMap(({ violations }) => violations)).toEqual([]);
  const asked = turn.requests.find(({ request }) => JSON.stringify(request.messages).includes(prompt));
  const control = own.requests.at(-1);
  if (!asked || !control) throw new Error(`${agent} never asked its model`);
  expect(asked.request.model).toBe(MODELS[agent].replace(/^.*\//, ""));
  const { fillers } = adapterOf(agent).sandbox?.("", 0) ?? {};
  const found = compare(promised, asked.request, {
    control: control.request,
    cwd: rig.cwd,
    // In a session that nobody has written for it the CLI has left context of its own.
    ...(losses ? { losses } : { isContext: rig.driver.isContext }),
    ...(fillers && { fillers }),
    after: [{ entry: "prompt", type: "text", role: "user", text: prompt }],
  });
  expect(found).toMatchObject({ missing: [], unexpected: [] });
  expect(found.facts).toEqual({ total: promised.length, kept: promised.length, changed: 0, lost: 0 });
  const known = new Set(textsOf(control));
  const told = textsOf(asked).filter((text) => !known.has(text) && !rig.driver.isContext(text));
  return { turn, asked, told };
}

function textsOf({ request }: Exchange): string[] {
  const blocks = request.messages.flatMap((message) => message.blocks);
  return blocks.flatMap((block) => (block.type === "text" ? [block.text.trim()] : []));
}

/** The switches that stand in a native session, in order. */
export async function switchesIn(user: User, there: There): Promise<ProviderSwitch[]> {
  const { source } = await find(user, there);
  const entries = await Array.fromAsync(source.entries());
  return entries.flatMap((entry) => (entry.type === "switch" ? [entry.switch] : []));
}

/** SQLite's own notes, which reading a database leaves as well. */
const isEmptyNote = (name: string, size: number) =>
  name.endsWith(".db-shm") || (name.endsWith(".db-wal") && size === 0);

/** Every file below a folder, with a hash of its bytes. */
export async function hashesOf(folder: string): Promise<Record<string, string>> {
  const hashes: Record<string, string> = {};
  const names = (await readdir(folder, { recursive: true })).toSorted();
  for (const name of names) {
    const path = join(folder, name);
    const stats = await lstat(path);
    if (isEmptyNote(name, stats.size)) continue;
    if (stats.isFile())
      hashes[name] = createHash("sha256")
        .update(await readFile(path))
        .digest("hex");
    else hashes[name] = stats.isDirectory() ? "folder" : "other";
  }
  return hashes;
}

/** A summary by the model at this address, as a program of the user's would ask for it. */
export function summarizerAt(url: string): Summarizer {
  return async ({ prompt, transcript, maxTokens, signal }) => {
    const response = await fetch(`${url}/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": "fake", "anthropic-version": "2023-06-01" },
      body: JSON.stringify({
        model: MODELS.claude,
        max_tokens: maxTokens,
        stream: true,
        messages: [{ role: "user", content: `${prompt}\n\n${transcript}` }],
      }),
      ...(signal && { signal }),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${answer}`);
    const events = answer.split("\n").flatMap((line) => /^data: (.*)$/.exec(line)?.[1] ?? []);
    return events.map((event) => JSON.parse(event).delta?.text ?? "").join("");
  };
}
