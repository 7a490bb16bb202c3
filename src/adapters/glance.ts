// What a list needs of a session, which is much less than its entries: whoever only lists sessions folds most of their
// records only so far.
import type { Entry, Usage } from "../session/session.ts";
import type { Folded, HeaderPatch } from "../session/source.ts";

/** What of an entry counts in a list. */
export interface Glimpse {
  id: string;
  type: Entry["type"];
  timestamp: string;
  /** Of a prompt. */
  content?: string | undefined;
  injected?: boolean | undefined;
  turn?: string | undefined;
  model?: string | undefined;
  provider?: string | undefined;
  usage?: Usage | undefined;
  /** Of a result. */
  callId?: string | undefined;
}

/** Told of a session's records in their order. */
export interface Listing {
  entry(entry: Glimpse): void;
  usage(counted: Omit<Extract<Folded, { type: "usage" }>, "type">): void;
  patch(patch: HeaderPatch): void;
}
