// Records that another provider took over: an entry at the end of what was carried, and the conversation as a file of
// the Unified Conversation Format under $BATON_HOME, which is made anew each time and never read back by Baton itself.
import type { FileRef } from "../adapters/adapter.ts";
import { sessionStates } from "../formats/ucf-facts.ts";
import { writeUcf } from "../formats/ucf-write.ts";
import { batched, batchesOf } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import { sessionId } from "../session/id.ts";
import type { Entry } from "../session/session.ts";
import type { Source, Stream } from "../session/source.ts";
import type { Change } from "../storage/changes.ts";
import { backupOf, conversationFiles, placeConversation } from "../storage/conversations.ts";
import { diskError } from "../storage/disk.ts";
import { thread } from "../transform/visible.ts";
import { type Hop, type Lineage, lineageOf, lineages, type ProviderSwitch, sessionsOf } from "./lineage.ts";
import { newMessageCounter } from "./message-count.ts";

type SwitchEntry = Extract<Entry, { type: "switch" }>;

function switchEntry(made: ProviderSwitch): SwitchEntry {
  const id = `switch-${Date.parse(made.timestamp).toString(36)}`;
  return { id, timestamp: made.timestamp, type: "switch", switch: made };
}

/**
 * The stream with an entry behind its last one; its message index is the number of messages before it, which `onIndex`
 * is told.
 */
export function endedBy(
  stream: Stream,
  made: ProviderSwitch,
  before = 0,
  onIndex: (index: number) => void = () => undefined,
): Stream {
  return {
    ...stream,
    get losses() {
      return stream.losses;
    },
    entries: () =>
      batched(async function* () {
        const counter = newMessageCounter();
        for await (const batch of batchesOf(stream.entries())) {
          for (const entry of batch) counter.add(entry);
          yield batch;
        }
        const messageIndex = before + counter.count;
        onIndex(messageIndex);
        yield [switchEntry({ ...made, messageIndex })];
      }),
  };
}

/** A session of more bytes is not written once more as a file: its store and the archive have it. */
export const LARGEST_CONVERSATION = 32 * 1024 * 1024;

export interface Recording {
  /** The dated file that is written with the session. */
  path: string;
  changes: AsyncIterable<Change>;
}

/** What is to be written beside the session; `from`: the source's main file. */
export async function recordingOf(
  batonHome: string,
  source: Source,
  from: Pick<FileRef, "path" | "size">,
  target: Session,
  made: ProviderSwitch,
): Promise<Recording | undefined> {
  if (from.size > LARGEST_CONVERSATION) return undefined;
  const { cli, originalId = source.header.id } = source.header.source;
  const lineage = await lineageOf(batonHome, `${cli}:${originalId}`);
  const path = backupOf(batonHome, conversationId(lineage), new Date(made.timestamp));
  const own = { agent: cli, id: originalId, path: from.path };
  const first = lineage.hops.find((hop) => hop.from === lineage.root);
  const root = { ...named(lineage.root), path: first?.fromPath ?? "" };
  const others = lineage.hops.map(({ to, path: at }) => ({ ...named(to), path: at }));
  const stream = conversation(source, conversationId(lineage), [root, ...others, own, target], made);
  return { path, changes: pieces(path, stream) };
}

/** A session of an agent and where it is. */
interface Session {
  agent: string;
  id: string;
  path: string;
}

/** Of the whole lineage, whichever of its sessions goes on. */
export function conversationId({ root }: Lineage): string {
  const colon = root.indexOf(":");
  return sessionId(root.slice(0, colon), root.slice(colon + 1));
}

function conversation(
  source: Source,
  id: string,
  sessions: readonly Session[],
  made: ProviderSwitch,
): Stream {
  const stream = endedBy(thread(source), made);
  const { header } = source;
  const providerState = sessionStates(sessions);
  const whole = { ...header, id, source: { cli: header.source.cli }, providerState };
  return { ...stream, header: whole };
}

function named(name: string): { agent: string; id: string } {
  const colon = name.indexOf(":");
  return { agent: name.slice(0, colon), id: name.slice(colon + 1) };
}

async function* pieces(path: string, stream: Stream): AsyncGenerator<Change> {
  for await (const bytes of writeUcf(stream)) yield { type: "create", path, bytes };
}

/**
 * Brings the current files of all conversations in line with the journal: after a switch or an undo, and after
 * whatever was cut off before it came to this.
 */
export async function settleConversations(batonHome: string): Promise<void> {
  for (const lineage of await lineages(batonHome)) {
    const files = conversationFiles(batonHome, conversationId(lineage));
    const newest = lineage.hops.findLast(({ switch: made }) => made !== undefined);
    const facts = newest && metaOf(lineage, newest);
    await placeConversation(files, newest?.conversation, facts).catch((error) => {
      throw notPlaced(diskError(error, files.current));
    });
  }
}

/** What it is a picture of was done before, and must not seem to have failed. */
function notPlaced({ code, message }: BatonError): BatonError {
  return new BatonError(
    code,
    `What was asked for is done, but ${message}`,
    "The next switch, return or undo makes up for it.",
  );
}

/** What a list of conversations shows without opening any of them. */
function metaOf(lineage: Lineage, newest: Hop) {
  return {
    id: conversationId(lineage),
    ...(newest.title !== undefined && { title: newest.title }),
    root: lineage.root,
    current: newest.to,
    updated: newest.at,
    switches: lineage.hops.flatMap((hop) => (hop.switch ? [hop.switch] : [])),
    sessions: sessionsOf(lineage),
    conversation: newest.conversation ?? null,
  };
}
