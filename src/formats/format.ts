// The contract of a file format: how a session in a file of its own is recognised, read and written.
import type { Loss } from "../session/losses.ts";
import type { Source, Stream } from "../session/source.ts";

export interface WriteOptions {
  /** Raw native records too, so that their own agent gets back every byte. On unless told otherwise. */
  records?: boolean;
  /** What was lost so far, for formats that people read. */
  losses?: boolean;
  /** Told about everything that the format cannot hold. */
  onLoss?(loss: Loss): void;
  /** Where the session was read from, for formats that say so. */
  path?: string;
}

export interface Format {
  id: string;
  label: string;
  /** How its files' names end. */
  extension: string;
  /**
   * What it is handed. all: every branch and the raw records; branch: the current branch, compacted history
   * included; request: what the model would see now.
   */
  takes: "all" | "branch" | "request";
  /** Whether its calls have the names of some agent's tools, and nothing says which agent's. */
  isAnonymous?: boolean;
  /** From the beginning of the file, or all of it where that does not tell. */
  recognise?(path: string): Promise<boolean>;
  read?(path: string): Promise<Source>;
  /** The text of the file, in pieces of any size. */
  write(stream: Stream, options?: WriteOptions): AsyncIterable<string>;
}
