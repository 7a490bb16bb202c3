// Drivers are told what no agent ever said: recordings with lines left out, twice, in another order, cut or changed
// anywhere, and the user's wishes at any time. They never throw, what follows keeps every rule, and their state stays
// small.
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Input } from "../../src/adapters/driver.ts";
import { adapters } from "../../src/adapters/index.ts";
import { newEventChecker } from "../../src/session/event-rules.ts";
import type { AgentEvent } from "../../src/session/events.ts";
import { fc } from "../property.ts";
import { agent as fakeAgent, startFake } from "./fake.ts";
import { driverOf, type Recording, readRecording, replay, requestOf } from "./replay.ts";

const FOLDER = join(import.meta.dirname, "transcripts");
const agents = adapters.filter(({ run }) => run).map(({ id }) => id);

const WISHES: fc.Arbitrary<Input> = fc.oneof(
  fc.constant<Input>({ type: "interrupt" }),
  fc.record({ type: fc.constant("prompt" as const), text: fc.string() }),
  fc.record({ type: fc.constant("set_model" as const), model: fc.string() }),
  fc.record({
    type: fc.constant("set_mode" as const),
    mode: fc.constantFrom("default" as const, "interactive" as const, "auto" as const, "deny" as const),
  }),
  fc.record({
    type: fc.constant("decide" as const),
    id: fc.string(),
    decision: fc.record({ allow: fc.boolean(), always: fc.boolean(), message: fc.string() }),
  }),
  fc.constant<Input>({ type: "end", exitCode: 1, signal: null, stderr: "broken" }),
);
const JUNK: fc.Arbitrary<Input> = fc.oneof(
  fc.json().map((text): Input => ({ type: "line", text })),
  fc.string().map((text): Input => ({ type: "line", text })),
  fc.record({
    type: fc.constant("answer" as const),
    id: fc.nat({ max: 9 }),
    status: fc.constantFrom(0, 200, 204, 400, 404, 500),
    body: fc.jsonValue(),
  }),
);

/** One thing that goes wrong at one place. */
interface Change {
  at: number;
  how: "drop" | "twice" | "swap" | "cut" | "value" | "insert";
  value: unknown;
  input: Input;
}

const CHANGE: fc.Arbitrary<Change> = fc.record({
  at: fc.nat(),
  how: fc.constantFrom("drop", "twice", "swap", "cut", "value", "insert"),
  value: fc.oneof(fc.constantFrom(null, 0, "", [], {}, true, -1), fc.jsonValue()),
  input: fc.oneof(WISHES, JUNK),
});

function changed(inputs: readonly Input[], { at, how, value, input }: Change): Input[] {
  const place = at % Math.max(1, inputs.length);
  const [before, here, after] = [inputs.slice(0, place), inputs[place], inputs.slice(place + 1)];
  if (!here) return [input];
  switch (how) {
    case "drop":
      return [...before, ...after];
    case "twice":
      return [...before, here, here, ...after];
    case "swap":
      return [...before, ...after.slice(0, 1), here, ...after.slice(1)];
    case "cut":
      return [
        ...before,
        here.type === "line" ? { ...here, text: here.text.slice(0, at % 200) } : here,
        ...after,
      ];
    case "value":
      return [
        ...before,
        here.type === "line" ? { ...here, text: withValue(here.text, at, value) } : here,
        ...after,
      ];
    case "insert":
      return [...before, input, here, ...after];
  }
}

/** Another value for one of the fields, however deep it lies. */
function withValue(text: string, at: number, value: unknown): string {
  const fields = JSON.stringify(parsed(text))?.match(/[:,[]/g)?.length ?? 1;
  let left = at % (fields + 1);
  return JSON.stringify(parsed(text), (_, one) => (left-- === 0 ? value : one)) ?? "null";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Then it is a text as any other.
    return text;
  }
}

/** What is said and done, without numbers, times and what nobody understands. */
function toldIn(events: readonly AgentEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === "text") return [`text ${event.text}`];
    if (event.type === "tool_use") return [`use ${event.name} ${JSON.stringify(event.input)}`];
    if (event.type === "tool_result") return [`result ${event.content}`];
    return event.type === "result" ? [`turn ${event.subtype} ${event.error?.code}`] : [];
  });
}

/** The generic driver is told what Gemini CLI says. */
const recordingsOf = (agent: string): Recording[] =>
  globSync(join(FOLDER, agent === "acp" ? "gemini" : agent, "*.jsonl"))
    .filter((path) => !path.endsWith(".golden.jsonl"))
    .sort()
    .map(readRecording);

describe.each([...agents, "acp"])("the driver of %s", (agent) => {
  const recordings = recordingsOf(agent);

  it("says all the same with junk between the lines", () => {
    const telling = recordings.filter((one) => toldIn(replay(agent, one).events).length > 0);
    expect(telling.length).toBeGreaterThan(recordings.length - 3);
    const junk = fc.oneof(fc.json(), fc.string()).map((text): Input => ({ type: "line", text }));
    const inserted = fc.array(fc.tuple(fc.nat(), junk), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.nat(), inserted, (which, pieces) => {
        const one = telling[which % telling.length] as Recording;
        const inputs = [...one.inputs];
        for (const [at, input] of pieces) inputs.splice(at % inputs.length, 0, input);
        const told = toldIn(replay(agent, one).events);
        expect(toldIn(replay(agent, { ...one, inputs }).events)).toEqual(told);
      }),
      { numRuns: 100 },
    );
  });

  it("says what it would have said up to the first thing that goes wrong", () => {
    fc.assert(
      fc.property(fc.nat(), CHANGE, (which, change) => {
        const one = recordings[which % recordings.length] as Recording;
        const inputs = changed(one.inputs, change);
        const end = one.inputs.findIndex((input, at) => input !== inputs[at]);
        const before = replay(agent, { ...one, inputs: one.inputs.slice(0, end) }).events;
        expect(replay(agent, { ...one, inputs }).events.slice(0, before.length)).toEqual(before);
      }),
      { numRuns: 100 },
    );
  });

  it("bears whatever it is told", () => {
    fc.assert(
      fc.property(fc.nat(), fc.array(CHANGE, { minLength: 1, maxLength: 6 }), (which, changes) => {
        const one = recordings[which % recordings.length] as Recording;
        const inputs = changes.reduce<readonly Input[]>(changed, one.inputs);
        const { events, protocol } = replay(agent, { ...one, inputs: [...inputs] });
        const checker = newEventChecker();
        const all = [...events, ...protocol.finish({})];
        expect([...all.flatMap((event) => checker.check(event)), ...checker.end()]).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });

  it("keeps its state small, and plain, over many turns", () => {
    const driver = driverOf(agent);
    for (const { request, inputs } of recordings) {
      const state = driver.initial(requestOf(request));
      const [start, rest] = [inputs.slice(0, 3), inputs.slice(3).filter(({ type }) => type !== "end")];
      for (const input of start) driver.step(state, input);
      for (let turn = 0; turn < 20; turn++) for (const input of rest) driver.step(state, input);
      const size = JSON.stringify(state).length;
      expect(size).toBeLessThan(64_000);
      expect(structuredClone(state)).toEqual(state);
    }
  });
});

describe("a live run of an agent that prints what went wrong", () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-fuzz-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const printing = [...agents, "acp"].filter((id) => launchOf(id).transport.type === "lines");

  it.each(printing)("as %s has one result for its prompt at least, and keeps every rule", async (id) => {
    const recordings = recordingsOf(id);
    const cases = fc.sample(fc.tuple(fc.nat(), fc.array(CHANGE, { minLength: 1, maxLength: 6 })), {
      numRuns: 8,
      seed: 1,
    });
    for (const [which, changes] of cases) {
      const { inputs } = recordings[which % recordings.length] as Recording;
      const file = join(folder, "printed");
      const all = changes.reduce<readonly Input[]>(changed, inputs);
      writeFileSync(file, all.map((input) => (input.type === "line" ? `${input.text}\n` : "")).join(""));
      const env = { ...process.env, FILE: file };
      const one = startFake({ program: fakeAgent("prints.mjs"), driver: driverOf(id), env, silenceMs: 2000 });
      one.run.prompt("Hello");
      one.run.finish();
      expect(await one.over).toEqual([]);
      expect(one.events.filter(({ type }) => type === "result").length).toBeGreaterThan(0);
    }
  });
});

function launchOf(id: string) {
  return driverOf(id).launch(requestOf({ cwd: "/", mode: "default" }));
}
