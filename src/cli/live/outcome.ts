// With which status a run ends: that of its last turn, unless the agent was gone after it, or never took a prompt.
import { EXIT_STATUS } from "../../session/error.ts";
import type { AgentEvent, EventOf, FailureCode } from "../../session/events.ts";

type Result = EventOf<"result">;

export interface Outcome {
  /** The last turn's. */
  readonly result: Result | undefined;
  note(event: AgentEvent): void;
  status(): number;
}

const STATUS: Partial<Record<FailureCode, number>> = {
  agent_missing: EXIT_STATUS.agent_not_installed,
  session_missing: EXIT_STATUS.not_found,
  session_busy: EXIT_STATUS.busy,
};

const GONE: ReadonlySet<FailureCode> = new Set([
  "agent_crashed",
  "agent_killed",
  "agent_broken",
  "agent_hung",
]);
/** What whoever steers it did wrong, or wanted in vain. */
const IN_VAIN: ReadonlySet<FailureCode> = new Set(["bad_input", "unsupported"]);

/** Whether it says that the agent is not there any more, outside of a turn. */
export function isAgentGone(event: AgentEvent): boolean {
  return event.type === "system" && event.subtype === "error" && GONE.has(event.code);
}

export function newOutcome(): Outcome {
  let result: Result | undefined;
  let lost: FailureCode | undefined;
  return {
    get result() {
      return result;
    },
    note(event) {
      if (event.type === "result") {
        result = event;
        lost = undefined;
      } else if (event.type === "system" && event.subtype === "error") {
        // One that was interrupted and had to be ended for it did what was wanted.
        if (result?.subtype === "interrupted") return;
        const isFatal = result === undefined ? !IN_VAIN.has(event.code) : isAgentGone(event);
        if (isFatal) lost = event.code;
      }
    },
    status() {
      if (lost !== undefined) return STATUS[lost] ?? EXIT_STATUS.failed;
      if (result === undefined || result.subtype === "success") return 0;
      if (result.subtype === "interrupted") return EXIT_STATUS.interrupted;
      return (result.error && STATUS[result.error.code]) ?? EXIT_STATUS.failed;
    },
  };
}
