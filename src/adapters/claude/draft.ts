// What the writer remembers while it composes a session, and what all kinds of lines need.
import { type Loss, loss } from "../../session/losses.ts";
import type { Entry, Header, Part } from "../../session/session.ts";
import type { Written } from "../adapter.ts";
import type { Thread } from "./lines.ts";
import type { ClaudeBlock } from "./native.ts";
import { blockOf } from "./native-blocks.ts";

/** What the writer remembers of the session it is writing. */
export interface Draft {
  thread: Thread;
  losses: Loss[];
  /** Native call ids by universal ones. */
  calls: Map<string, string>;
  used: Set<string>;
  /** Which record says an entry, for compactions that keep some. */
  uuids: Map<string, string>;
  /** The model message that is being written: [turn, native id]. */
  message: readonly [string, string] | undefined;
  lastPrompt: string;
  foreign: { models: Set<string>; usage: boolean };
  /** Where the session was and goes on: commands run there need no `cd`. */
  folders: readonly string[];
  /** The file of the subagent that a call started. */
  agents: ReadonlyMap<string, string>;
}

export function newDraft(
  thread: Thread,
  header: Pick<Header, "project">,
  agents: ReadonlyMap<string, string> = new Map(),
): Draft {
  return {
    thread,
    folders: [thread.target.cwd, header.project.path],
    losses: [],
    calls: new Map(),
    used: new Set(),
    uuids: new Map(),
    message: undefined,
    lastPrompt: "",
    foreign: { models: new Set(), usage: false },
    agents,
  };
}

export function blocksOfParts(
  entry: { id: string; parts?: Part[] | undefined; content: string },
  losses: Loss[],
): ClaudeBlock[] {
  const parts: Part[] = entry.parts ?? [{ type: "text", text: entry.content }];
  return parts.map((part) => blockOf(part, entry.id, losses)).filter((block) => block !== undefined);
}

export function empty(entry: Entry, { losses }: Draft): void {
  losses.push(loss("text_dropped", { entry: entry.id }, "a message without content", "info"));
}

export function remember<R extends Written & { uuid: string }>(draft: Draft, entry: string, record: R): R {
  draft.uuids.set(entry, record.uuid);
  return record;
}
