// What every scenario of a live run has to show, whoever the agent is: in the run itself, and when its recording is told
// to the driver again.
import { expect } from "vitest";
import type { AgentEvent, EventOf, EventType, FailureCode } from "../../src/session/events.ts";
import type { CliName } from "./install.ts";
import type { Followed, LiveRig } from "./live-rig.ts";
import type { ScenarioName } from "./live-scenarios.ts";

/** A run, or its replay. */
type Seen = Pick<Followed, "events" | "request">;
type Expectation = (seen: Seen, name: CliName) => void;

const of = <T extends EventType>({ events }: Seen, type: T) =>
  events.filter((event): event is EventOf<T> => event.type === type);
const results = (seen: Seen) => of(seen, "result").map(({ subtype }) => subtype);
const said = (seen: Seen) =>
  of(seen, "text")
    .map(({ text }) => text)
    .join("");
const output = (seen: Seen, at: number) => of(seen, "tool_result")[at];
const codes = (seen: Seen): FailureCode[] => [
  ...of(seen, "error").map(({ code }) => code),
  ...of(seen, "retry").map(({ error }) => error.code),
];

export const EXPECTED: Record<ScenarioName, Expectation> = {
  text(seen) {
    expect(results(seen)).toEqual(["success"]);
    expect(said(seen)).toBe("It is 42, and that is all there is to say about it.");
    const [result] = of(seen, "result");
    expect(result).toMatchObject({ result: said(seen), permission_denials: [] });
    expect(result?.usage.output_tokens).toBeGreaterThan(0);
    expect(result?.session_id).not.toBe("");
    // In pieces, not all at once.
    expect(of(seen, "text").length).toBeGreaterThan(1);
  },
  single_tool(seen) {
    expect(results(seen)).toEqual(["success"]);
    expect(of(seen, "tool_use")).toMatchObject([
      { name: "Bash", input: { command: expect.stringContaining("one-%s") } },
    ]);
    expect(output(seen, 0)).toMatchObject({
      is_error: false,
      content: expect.stringContaining("one-42"),
    });
    expect(said(seen)).toContain("It says one-42.");
  },
  several_tools(seen) {
    expect(results(seen)).toEqual(["success"]);
    const [write, shell] = of(seen, "tool_use");
    expect(write).toMatchObject({ input: { file_path: expect.stringContaining("made.txt") } });
    expect(["Write", "Edit"]).toContain(write?.name);
    expect(shell).toMatchObject({
      name: "Bash",
      input: { command: expect.stringContaining("cat made.txt") },
    });
    expect(output(seen, 1)?.content).toContain("second");
  },
  parallel_tools(seen) {
    expect(results(seen)).toEqual(["success"]);
    const order = seen.events.filter(({ type }) => type === "tool_use" || type === "tool_result");
    expect(order.map(({ type }) => type)).toEqual(["tool_use", "tool_result", "tool_use", "tool_result"]);
    expect(output(seen, 0)?.content).toContain("slow-1");
    expect(output(seen, 1)?.content).toContain("quick-2");
  },
  tool_error(seen, name) {
    expect(results(seen)).toEqual(["success"]);
    const is_error = !UNTOLD.includes(name);
    expect(output(seen, 0)).toMatchObject({ is_error, content: expect.stringContaining("wrong") });
    expect(of(seen, "tool_result").some((one) => one.is_error)).toBe(true);
    expect(said(seen)).toContain("Neither worked.");
  },
  thinking(seen) {
    expect(results(seen)).toEqual(["success"]);
    const thought = of(seen, "thinking").map(({ text }) => text);
    expect(thought.join("")).toContain("forty-two");
    expect(said(seen)).toBe("42.");
  },
  interrupt(seen) {
    expect(results(seen)).toEqual(["interrupted", "success"]);
    const [interrupt] = of(seen, "interrupt");
    const [result] = of(seen, "result");
    expect(between(interrupt, result)).toBeLessThan(500);
    expect(said(seen)).toContain("Going on after it.");
  },
  auth_failure(seen) {
    expect(results(seen)).toEqual(["error"]);
    const [error, ...others] = of(seen, "error");
    expect(others).toEqual([]);
    expect(error).toMatchObject({ code: "unauthorized", status: 401 });
    expect(error?.hint).toMatch(/[Ss]ign/);
    for (const retry of of(seen, "retry")) expect(retry.error.code).toBe("unauthorized");
    expect(of(seen, "result")[0]?.error).toMatchObject({ code: "unauthorized", hint: error?.hint });
  },
  rate_limit(seen, name) {
    expect(results(seen)).toEqual(["success"]);
    expect(said(seen)).toBe("Now it works.");
    expect(of(seen, "retry")).toMatchObject(LIMITED[name]);
    expect(of(seen, "error")).toEqual([]);
    // The vendor has asked to wait for a second.
    for (const { delay_ms } of of(seen, "retry"))
      if (delay_ms !== undefined) expect(Math.abs(delay_ms - 1000)).toBeLessThan(500);
  },
  cut_stream(seen, name) {
    const isRetried = RETRY_CUT.includes(name);
    expect(results(seen)).toEqual([isRetried ? "success" : "error"]);
    expect(codes(seen)).toEqual(["stream_cut"]);
    expect(of(seen, isRetried ? "retry" : "error")).toHaveLength(1);
    const [result] = of(seen, "result");
    if (isRetried) expect(result).toMatchObject({ result: "This is whole." });
    else expect(result).toMatchObject({ result: said(seen), error: { code: "stream_cut" } });
  },
  resume(seen) {
    expect(results(seen)).toEqual(["success"]);
    expect(of(seen, "result")[0]?.session_id).toBe(seen.request.session);
    expect(said(seen)).toBe("It was Quokka.");
  },
};

/** What the model was asked meanwhile, which no recording has. */
export const ASKED: Partial<Record<ScenarioName, (rig: LiveRig) => void>> = {
  several_tools: ({ loopback }) => expect(loopback.requests.length).toBeGreaterThan(2),
  resume({ loopback }) {
    const asked = JSON.stringify(loopback.requests.at(-1)?.request.messages);
    for (const text of ["Remember a word", "The word is Quokka.", "Which one was it?"])
      expect(asked).toContain(text);
  },
};

/** How it is told that the first request was one too many, and when the next follows; one asks again without a word. */
const LIMITED: Record<CliName, object[]> = {
  claude: [
    { attempt: 1, delay_ms: 1000, error: { code: "rate_limited", status: 429, retry_after_ms: 1000 } },
  ],
  codex: [{ attempt: 1, error: { code: "rate_limited", status: 429 } }],
  gemini: [],
  opencode: [{ attempt: 1, delay_ms: expect.any(Number), error: { code: "rate_limited" } }],
};
/** Who asks again by himself after an answer that broke off. */
const RETRY_CUT: readonly CliName[] = ["claude", "codex", "opencode"];
/** Who tells what a command printed, but not with which status it ended. */
const UNTOLD: readonly CliName[] = ["gemini"];

function between(one: AgentEvent | undefined, other: AgentEvent | undefined): number {
  return Date.parse(other?.timestamp ?? "") - Date.parse(one?.timestamp ?? "");
}
