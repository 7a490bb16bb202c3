// Reading a session without waiting and with fewer entries made: how most sessions are read for the catalog, where only
// texts count, or not even these.
import type { Entry } from "../session/session.ts";
import type { Folded, HeaderPatch } from "../session/source.ts";

/** Told of a session's records in their order. */
export interface Listing {
  /** Whether texts are wanted; otherwise entries need not have any. */
  readonly isWhole: boolean;
  /** Without parts, details and native records. */
  entry(entry: Entry): void;
  /** Another name of an entry that was told of. */
  alias(id: string, entry: string): void;
  usage(counted: Omit<Extract<Folded, { type: "usage" }>, "type">): void;
  patch(patch: HeaderPatch): void;
}

/** Takes the value of a record, its number and where it stands; false = no more of them. */
export type Take = (value: unknown, index: number, offset: number, length: number) => boolean;

export interface GlanceOptions {
  /** Whether long strings are wanted whole. */
  isWhole: boolean;
  /** Larger sessions are left to `read`: nobody else is heard while one is glanced at. */
  largest: number;
}

/** Of a call in a list, which does not ask what was called. */
export const UNREAD = { tool: "unknown", input: {} } as const;
