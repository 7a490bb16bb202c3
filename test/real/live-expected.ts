// What every scenario of a live run has to show, whoever the agent is.
import { expect } from "vitest";
import type { AgentEvent, EventOf, EventType, FailureCode } from "../../src/session/events.ts";
import type { CliName } from "./install.ts";
import type { Followed, LiveRig } from "./live-rig.ts";
import type { ScenarioName } from "./live-scenarios.ts";

type Expectation = (followed: Followed, rig: LiveRig) => void;

const of = <T extends EventType>({ events }: Followed, type: T) =>
  events.filter((event): event is EventOf<T> => event.type === type);
const results = (followed: Followed) => of(followed, "result").map(({ subtype }) => subtype);
const said = (followed: Followed) =>
  of(followed, "text")
    .map(({ text }) => text)
    .join("");
const output = (followed: Followed, at: number) => of(followed, "tool_result")[at];
const codes = (followed: Followed): FailureCode[] => [
  ...of(followed, "error").map(({ code }) => code),
  ...of(followed, "retry").map(({ error }) => error.code),
];

export const EXPECTED: Record<ScenarioName, Expectation> = {
  text(followed) {
    expect(results(followed)).toEqual(["success"]);
    expect(said(followed)).toBe("It is 42, and that is all there is to say about it.");
    const [result] = of(followed, "result");
    expect(result).toMatchObject({ result: said(followed), permission_denials: [] });
    expect(result?.usage.output_tokens).toBeGreaterThan(0);
    expect(result?.session_id).not.toBe("");
    // In pieces, not all at once.
    expect(of(followed, "text").length).toBeGreaterThan(1);
  },
  single_tool(followed) {
    expect(results(followed)).toEqual(["success"]);
    expect(of(followed, "tool_use")).toMatchObject([
      { name: "Bash", input: { command: expect.stringContaining("one-%s") } },
    ]);
    expect(output(followed, 0)).toMatchObject({
      is_error: false,
      content: expect.stringContaining("one-42"),
    });
    expect(said(followed)).toContain("It says one-42.");
  },
  several_tools(followed, rig) {
    expect(results(followed)).toEqual(["success"]);
    const [write, shell] = of(followed, "tool_use");
    expect(write).toMatchObject({ input: { file_path: expect.stringContaining("made.txt") } });
    expect(["Write", "Edit"]).toContain(write?.name);
    expect(shell).toMatchObject({
      name: "Bash",
      input: { command: expect.stringContaining("cat made.txt") },
    });
    expect(output(followed, 1)?.content).toContain("second");
    expect(rig.loopback.requests.length).toBeGreaterThan(2);
  },
  parallel_tools(followed) {
    expect(results(followed)).toEqual(["success"]);
    const order = followed.events.filter(({ type }) => type === "tool_use" || type === "tool_result");
    expect(order.map(({ type }) => type)).toEqual(["tool_use", "tool_result", "tool_use", "tool_result"]);
    expect(output(followed, 0)?.content).toContain("slow-1");
    expect(output(followed, 1)?.content).toContain("quick-2");
  },
  tool_error(followed, rig) {
    expect(results(followed)).toEqual(["success"]);
    const is_error = !UNTOLD.includes(rig.name);
    expect(output(followed, 0)).toMatchObject({ is_error, content: expect.stringContaining("wrong") });
    expect(of(followed, "tool_result").some((one) => one.is_error)).toBe(true);
    expect(said(followed)).toContain("Neither worked.");
  },
  thinking(followed) {
    expect(results(followed)).toEqual(["success"]);
    const thought = of(followed, "thinking").map(({ text }) => text);
    expect(thought.join("")).toContain("forty-two");
    expect(said(followed)).toBe("42.");
  },
  interrupt(followed) {
    expect(results(followed)).toEqual(["interrupted", "success"]);
    const [interrupt] = of(followed, "interrupt");
    const [result] = of(followed, "result");
    expect(between(interrupt, result)).toBeLessThan(500);
    expect(said(followed)).toContain("Going on after it.");
  },
  auth_failure(followed) {
    expect(results(followed)).toEqual(["error"]);
    const [error] = of(followed, "error");
    expect(error).toMatchObject({ code: expect.stringMatching(/unauthorized|not_signed_in|token_expired/) });
    expect(error?.hint).not.toBe("");
    expect(of(followed, "result")[0]?.error?.code).toBe(error?.code);
  },
  rate_limit(followed, rig) {
    const isRetried = RETRIES.rate_limit.includes(rig.name);
    expect(results(followed)).toEqual([isRetried ? "success" : "error"]);
    if (!SILENT.includes(rig.name)) expect(codes(followed)).toContain("rate_limited");
    expect(said(followed)).toContain(isRetried ? "Now it works." : "");
  },
  cut_stream(followed, rig) {
    const isRetried = RETRIES.cut_stream.includes(rig.name);
    expect(results(followed)).toEqual([isRetried ? "success" : "error"]);
    if (isRetried) expect(said(followed)).toContain("This is whole.");
    else expect(codes(followed)).toContain("stream_cut");
  },
  resume(followed, rig) {
    expect(results(followed)).toEqual(["success"]);
    expect(of(followed, "result")[0]?.session_id).toBe(followed.request.session);
    expect(said(followed)).toBe("It was Quokka.");
    const asked = JSON.stringify(rig.loopback.requests.at(-1)?.request.messages);
    for (const text of ["Remember a word", "The word is Quokka.", "Which one was it?"])
      expect(asked).toContain(text);
  },
};

/** Who asks again by himself after the first failure. */
const RETRIES: Record<"rate_limit" | "cut_stream", readonly CliName[]> = {
  rate_limit: ["claude", "codex", "gemini", "opencode"],
  cut_stream: ["claude", "codex", "opencode"],
};
/** Who asks again without a word. */
const SILENT: readonly CliName[] = ["gemini"];
/** Who tells what a command printed, but not with which status it ended. */
const UNTOLD: readonly CliName[] = ["gemini"];

function between(one: AgentEvent | undefined, other: AgentEvent | undefined): number {
  return Date.parse(other?.timestamp ?? "") - Date.parse(one?.timestamp ?? "");
}
