// Keeps what `baton status` says of a run in step with its events: the moment it waits, goes on or has finished.

import { visible } from "../session/escapes.ts";
import type { AgentEvent } from "../session/events.ts";
import { keepInput, openRunFile, type RunFile, type RunRecord } from "../storage/runs.ts";

export interface RunLog {
  /** A prompt waits for the agent to be ready, or for its turn. */
  given(text: string): void;
  /** It goes out. */
  prompt(text: string): void;
  note(event: AgentEvent): void;
  /** Arguments that are too long for a line: where they are, whole. Undefined = they could not be kept. */
  keepInput(call: string, input: unknown): string | undefined;
  close(): Promise<void>;
}

const LONGEST = 200;

export interface LogOptions {
  batonHome: string;
  id: string;
  agent: string;
  cwd: string;
  session?: string;
  /** The run goes on without it; called once. */
  onProblem(error: unknown): void;
}

export async function openRunLog(options: LogOptions): Promise<RunLog> {
  const { batonHome, id, agent, cwd, session = "", onProblem } = options;
  let isProblem = false;
  const onFirst = (error: unknown) => {
    if (!isProblem) onProblem(error);
    isProblem = true;
  };
  const file: RunFile = await openRunFile(batonHome, id, onFirst);
  const started = new Date().toISOString();
  let record: RunRecord = {
    id,
    agent,
    session,
    cwd,
    prompt: "",
    state: "running",
    started,
    updated: started,
  };
  const asked = new Map<string, string>();
  const keep = (next: RunRecord) => {
    record = { ...next, updated: new Date().toISOString() };
    file.write(record);
  };
  // Agents take seconds to start, and whoever looks meanwhile wants to know of it, also if we are killed.
  file.write(record);
  return {
    given(text) {
      if (record.prompt === "") keep({ ...record, prompt: text.slice(0, LONGEST) });
    },
    prompt: (text) => keep({ ...plain(record), prompt: text.slice(0, LONGEST), state: "running" }),
    note(event) {
      if (event.type === "approval_request") asked.set(event.id, wordsOf(event));
      if (event.type === "approval") asked.delete(event.id);
      const next = after(record, event, [...asked.values()][0]);
      if (next) keep(next);
    },
    keepInput(call, input) {
      try {
        return keepInput(batonHome, id, call, input);
      } catch (error) {
        onFirst(error);
        return undefined;
      }
    },
    async close() {
      if (record.state !== "finished") keep({ ...plain(record), state: "finished" });
      // One that was told nothing and has no session never began.
      await file.close(record.prompt !== "" || record.session !== "");
    },
  };
}

/** Undefined where it says nothing that counts. */
function after(record: RunRecord, event: AgentEvent, waitingFor: string | undefined): RunRecord | undefined {
  switch (event.type) {
    case "approval_request":
    case "approval":
      return waitingFor === undefined
        ? { ...plain(record), state: "running" }
        : { ...record, state: "waiting", waitingFor };
    case "result": {
      const error = event.error && { error: `${event.error.code}: ${event.error.message}`.slice(0, LONGEST) };
      return {
        ...plain(record),
        state: "finished",
        outcome: event.subtype,
        session: event.session_id,
        ...error,
      };
    }
    case "system":
      return "session_id" in event && event.session_id !== record.session
        ? { ...record, session: event.session_id }
        : undefined;
    case "raw":
    case "usage":
    case "message_stop":
      return undefined;
    default:
      // Agents begin some turns by themselves.
      return record.state === "finished" ? { ...plain(record), state: "running" } : undefined;
  }
}

/** Without what belongs to a state that is over. */
function plain({ waitingFor: _, outcome: __, error: ___, ...record }: RunRecord): RunRecord {
  return record;
}

function wordsOf({ name, input, questions }: Extract<AgentEvent, { type: "approval_request" }>): string {
  if (questions) return short(`an answer: ${questions[0]?.question ?? ""}`);
  const what = [input.command, input.file_path, input.url].find((one) => typeof one === "string");
  return short(`an approval: ${name}${what === undefined ? "" : ` ${what}`}`);
}

/** One line in which nothing is hidden, and which says that it is cut. */
function short(text: string): string {
  const line = visible(text.replace(/\s+/g, " ").trim());
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).toWellFormed()}…` : line;
}
