// What a live run is started with, and how it is steered.
import type { Decision, Driver, Input, RunRequest } from "../adapters/driver.ts";
import type { AgentEvent, FailureCode, PermissionMode } from "../session/events.ts";
import type { Who } from "./failures.ts";
import type { ProtocolOptions } from "./protocol.ts";

export interface RunOptions {
  /** Ours, where somebody has given it one already. */
  id?: string;
  agent: string;
  /** Whose badge the session carries. */
  provider: string;
  // biome-ignore lint/suspicious/noExplicitAny: each driver has a state of its own, opaque to everybody else.
  driver: Driver<any>;
  /** The program that stands for the first word of the driver's command; null = it is not installed. */
  program: string | null;
  who: Who;
  request: Omit<RunRequest, "secret">;
  /** Whether somebody answers what the agent asks. */
  hasApprover: boolean;
  env: NodeJS.ProcessEnv;
  priced?: ProtocolOptions["priced"];
  keepInput?: ProtocolOptions["keepInput"];
  approvalTimeoutMs?: number;
  /** How long an agent may say nothing in the middle of a turn; while a tool is at work, ten times as long. */
  silenceMs?: number;
  /** What the agent complains about. */
  onComplaint?(line: string): void;
  /** Everything that the driver is told, for recordings. */
  onInput?(input: Input): void;
  /** A prompt goes out, or would have. */
  onPrompt?(text: string): void;
}

export interface LiveRun {
  readonly id: string;
  /** To be taken by one reader; ends when the run is over. */
  readonly events: AsyncIterable<AgentEvent>;
  /** Whether there is something that could be interrupted. */
  readonly isActive: boolean;
  /** Waits for its turn where one is under way. */
  prompt(text: string): void;
  interrupt(): void;
  /** False = nobody waits for that. */
  decide(id: string, decision: Decision): boolean;
  /** Both are answered by an event. */
  setModel(model: string): void;
  setMode(mode: PermissionMode): void;
  /** Says in the stream that something is wrong which ends no turn. */
  warn(code: FailureCode, message: string): void;
  /** Nobody is there any more who could answer what the agent asks. */
  unattended(): void;
  /** No more prompts: the run is over once those that were given are answered. */
  finish(): void;
  /** Ends it now. */
  end(): void;
}
