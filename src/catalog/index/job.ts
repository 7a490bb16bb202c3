// A session that has to be read. Plain data, so that it can be handed to a thread.
import type { SessionRef } from "../../adapters/adapter.ts";
import { shardOf } from "../catalog.ts";
import { idOf } from "../scan.ts";

export interface Job {
  ref: SessionRef;
  id: string;
  shard: number;
  /** The catalog did not have it when the stores were looked at. */
  isNew: boolean;
  /** It is read before sessions of its shard that are newer. */
  isEarly?: true;
}

export function jobOf(ref: SessionRef, isNew = false): Job {
  const id = idOf(ref);
  return { ref, id, shard: shardOf(id), isNew };
}
