// The record of what a loopback server was asked, and a way to wait for it without sleeping.
import { BatonError } from "../session/error.ts";
import type { ApiName, ModelRequest } from "./request.ts";
import type { Violation } from "./wire.ts";

/** How an exchange ended: `refused` by a rule, `failed` by the script, `aborted` by the client. */
export type Outcome = "answered" | "refused" | "failed" | "cut" | "aborted" | "script_error";

export interface Exchange {
  index: number;
  api: ApiName;
  path: string;
  /** As received, without credentials. */
  headers: Record<string, string>;
  bytes: number;
  /** The parsed body; the text where it is not valid JSON. */
  body: unknown;
  request: ModelRequest;
  violations: Violation[];
  status?: number;
  /** Absent while the answer is under way or hangs. */
  outcome?: Outcome;
  /** Why the script could not answer. */
  problem?: string;
}

/** A request that reached for something that is not this server. */
export interface Refusal {
  method: string;
  host: string;
  /** False for another port of this machine. */
  foreign: boolean;
}

/** A request that is no model call: lists, counts, probes, unknown paths. */
export interface Aside {
  method: string;
  path: string;
  status: number;
}

export class Log {
  readonly requests: Exchange[] = [];
  readonly refusals: Refusal[] = [];
  readonly asides: Aside[] = [];
  private waiting: Waiter[] = [];

  /** Call after every change. */
  changed(): void {
    const ready = this.waiting.filter(({ condition }) => condition());
    this.waiting = this.waiting.filter((waiter) => !ready.includes(waiter));
    for (const { resolve } of ready) resolve();
  }

  until(condition: () => boolean): Promise<void> {
    if (condition()) return Promise.resolve();
    return new Promise((resolve, reject) => this.waiting.push({ condition, resolve, reject }));
  }

  close(): void {
    const hint = "Wait for the event before the server is closed.";
    for (const { reject } of this.waiting) {
      reject(new BatonError("failed", "The loopback server closed before the awaited request came", hint));
    }
    this.waiting = [];
  }
}

interface Waiter {
  condition: () => boolean;
  resolve: () => void;
  reject: (reason: BatonError) => void;
}
