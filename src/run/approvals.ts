// What an agent asks of its user: decided by the permission mode where that says enough, otherwise kept until somebody
// answers, and denied when nobody does in time. Another mode decides at once, also of what is waited for.
import type { Asking, Decision, Input } from "../adapters/driver.ts";
import type { AgentEvent, PermissionMode } from "../session/events.ts";
import type { Protocol } from "./protocol.ts";
import { answersAsAsked } from "./questions.ts";
import { changesSomething } from "./tool-names.ts";
import { LONGEST_MS } from "./waits.ts";

export type Ask = Extract<Asking, { type: "ask" }>;

const NOBODY = "Nobody is there to allow it.";
const DENIED = "The user allows no changes in this run.";
const UNANSWERED = "Nobody answered in time.";
const STOPPED: Decision = { allow: false, message: "The user has interrupted." };

/** What the mode says by itself. */
function verdictOf({ questions, call }: Ask, mode: PermissionMode, hasApprover: boolean): Decision | "ask" {
  if (questions) return hasApprover && mode !== "deny" ? "ask" : { allow: false, message: NOBODY };
  switch (mode) {
    case "auto":
      return { allow: true };
    case "deny":
      return changesSomething(call) ? { allow: false, message: DENIED } : { allow: true };
    case "default":
    case "interactive":
      return hasApprover ? "ask" : { allow: false, message: NOBODY };
  }
}

/** In these modes an agent has to ask before every change. */
export function asksAll(mode: PermissionMode): boolean {
  return mode === "interactive" || mode === "deny";
}

export interface ApprovalsOptions {
  protocol: Protocol;
  mode: PermissionMode;
  hasApprover: boolean;
  timeoutMs: number;
  /** To the reader of the stream, and to the driver. */
  tell(events: AgentEvent[]): void;
  take(input: Input): void;
}

type By = "user" | "timeout" | "mode";

export interface Approvals {
  /** How many are waited for. */
  readonly size: number;
  ask(event: Ask, isStopped: boolean): void;
  /** False = nobody waits for that. */
  settle(id: string, decision: Decision, by: By, message?: string): boolean;
  settleAll(decision: Decision, by: By, message: string): void;
  /** The agent does not wait for it any more, or for any. */
  withdraw(id: string): void;
  withdrawAll(): void;
  modeIs(mode: PermissionMode): void;
  /** Nobody is there any more who could answer. */
  unattended(): void;
}

export function newApprovals(options: ApprovalsOptions): Approvals {
  const { protocol, timeoutMs, tell, take } = options;
  let { mode, hasApprover } = options;
  const waiting = new Map<string, { event: Ask; timer: NodeJS.Timeout }>();

  function add(event: Ask): void {
    clearTimeout(waiting.get(event.id)?.timer);
    const late = () => approvals.settle(event.id, { allow: false }, "timeout", UNANSWERED);
    waiting.set(event.id, { event, timer: setTimeout(late, Math.min(LONGEST_MS, timeoutMs)) });
  }

  function takeOut(id: string): boolean {
    clearTimeout(waiting.get(id)?.timer);
    return waiting.delete(id);
  }

  /** What was asked under another mode, or of somebody who has left. */
  function reconsider(): void {
    for (const [id, { event }] of [...waiting]) {
      const verdict = verdictOf(event, mode, hasApprover);
      if (verdict !== "ask") approvals.settle(id, verdict, "mode", verdict.message);
    }
  }

  const approvals: Approvals = {
    get size() {
      return waiting.size;
    },
    ask(event, isStopped) {
      const verdict = isStopped ? STOPPED : verdictOf(event, mode, hasApprover);
      if (verdict === "ask") {
        add(event);
        tell(protocol.asked(event, timeoutMs));
        return;
      }
      if (!verdict.allow) protocol.denied(event, verdict.message ?? "");
      take({ type: "decide", id: event.id, decision: verdict });
    },
    settle(id, decision, by, message) {
      const questions = waiting.get(id)?.event.questions;
      if (!takeOut(id)) return false;
      const verdict = decision.allow ? (decision.always ? "allow_session" : "allow") : "deny";
      tell(protocol.decided(id, verdict, by, message));
      const { answers } = decision;
      const own = questions && answers && { answers: answersAsAsked(questions, answers) };
      take({
        type: "decide",
        id,
        decision: { ...decision, ...own, ...(message !== undefined && { message }) },
      });
      return true;
    },
    settleAll(decision, by, message) {
      for (const id of [...waiting.keys()]) approvals.settle(id, decision, by, message);
    },
    withdraw(id) {
      if (takeOut(id)) tell(protocol.decided(id, "deny", "agent"));
    },
    withdrawAll() {
      for (const id of [...waiting.keys()]) approvals.withdraw(id);
    },
    modeIs(next) {
      mode = next;
      reconsider();
    },
    unattended() {
      hasApprover = false;
      reconsider();
    },
  };
  return approvals;
}
