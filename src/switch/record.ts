// Records that another provider took over: an entry at the end of what was carried, and the conversation as a file of
// the Unified Conversation Format under $BATON_HOME, which is made anew each time and never read back by Baton itself.
import type { FileRef } from "../adapters/adapter.ts";
import { sessionStates } from "../formats/ucf-facts.ts";
import { writeUcf } from "../formats/ucf-write.ts";
import { batched, batchesOf, mapped } from "../session/batches.ts";
import type { BatonError } from "../session/error.ts";
import { sessionId } from "../session/id.ts";
import type { Entry } from "../session/session.ts";
import type { Source, Stream } from "../session/source.ts";
import type { Change } from "../storage/changes.ts";
import {
  backupOf,
  conversationFiles,
  hasConversations,
  noteSettled,
  placeConversation,
  settledUntil,
  whileSettling,
} from "../storage/conversations.ts";
import { diskError } from "../storage/disk.ts";
import { operations } from "../storage/operations.ts";
import { thread, threadPositions } from "../transform/visible.ts";
import { type Hop, type Lineage, lineageOf, lineagesIn, type ProviderSwitch, sessionsOf } from "./lineage.ts";
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
  const stream = await conversation(source, conversationId(lineage), [root, ...others, own, target], made);
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

async function conversation(
  source: Source,
  id: string,
  sessions: readonly Session[],
  made: ProviderSwitch,
): Promise<Stream> {
  const stream = attributed(endedBy(thread(source), made), [...(await switchesIn(source)), made]);
  const { header } = source;
  const providerState = sessionStates(sessions);
  // Of several agents, so each message says whose it is.
  const whole = { ...header, id, source: { cli: "baton" }, providerState };
  return { ...stream, header: whole };
}

/** Those that stand in the session already. */
async function switchesIn(source: Source): Promise<ProviderSwitch[]> {
  const { skeleton } = source;
  const found: ProviderSwitch[] = [];
  for (const at of threadPositions(skeleton, { history: "full" })) {
    if (skeleton.type(at) !== "switch") continue;
    for await (const entry of source.entries({ from: at, to: at + 1 }))
      if (entry.type === "switch") found.push(entry.switch);
  }
  return found;
}

/** What stands before a switch, and behind the one before it, was said by whoever it was a switch from. */
function attributed(stream: Stream, switches: readonly ProviderSwitch[]): Stream {
  const entries = () => {
    let at = 0;
    const own = (entry: Entry): Entry => {
      if (entry.type === "switch") at++;
      const made = switches[at];
      if (!made || !SAID.has(entry.type)) return entry;
      const model = entry.model ?? (made.fromModel === "unknown" ? undefined : made.fromModel);
      return { ...entry, provider: made.fromProvider, ...(model !== undefined && { model }) };
    };
    return mapped(stream.entries(), (batch) => batch.map(own));
  };
  return { ...stream, entries };
}

const SAID: ReadonlySet<Entry["type"]> = new Set(["assistant", "tool_call", "tool_result"]);

function named(name: string): { agent: string; id: string } {
  const colon = name.indexOf(":");
  return { agent: name.slice(0, colon), id: name.slice(colon + 1) };
}

async function* pieces(path: string, stream: Stream): AsyncGenerator<Change> {
  for await (const bytes of writeUcf(stream)) yield { type: "create", path, bytes };
}

/**
 * Brings the current files of all conversations in line with the journal: after a switch or an undo, and after
 * whatever was cut off before it came to this. Returns a sentence for what could not be done.
 */
export async function settleConversations(batonHome: string): Promise<string[]> {
  try {
    if (!(await hasConversations(batonHome)) && (await unsettled(batonHome)).lineages.length === 0) return [];
    return await whileSettling(batonHome, async () => {
      const { lineages: due, until } = await unsettled(batonHome);
      const problems: string[] = [];
      for (const lineage of due) {
        const files = conversationFiles(batonHome, conversationId(lineage));
        const newest = lineage.hops.findLast(({ switch: made }) => made !== undefined);
        const facts = newest && metaOf(lineage, newest);
        await placeConversation(files, newest?.conversation, facts).catch((error) => {
          problems.push(notPlaced(diskError(error, files.current)));
        });
      }
      if (problems.length === 0) await noteSettled(batonHome, until);
      return problems;
    });
  } catch (error) {
    return [notPlaced(diskError(error))];
  }
}

/** Whoever saves an operation notes its time a little before others can see it. */
const MARGIN = 60_000;

/** Conversations of operations that were updated since all were in line, and the time of the newest of all. */
async function unsettled(batonHome: string): Promise<{ lineages: Lineage[]; until: string }> {
  const { operations: all } = await operations(batonHome);
  const until = all.reduce((newest, { updated }) => (updated > newest ? updated : newest), "");
  const settled = Date.parse(await settledUntil(batonHome));
  // A time that has not come yet is of a clock that was wrong.
  const since = settled <= Date.now() ? new Date(settled - MARGIN).toISOString() : "";
  const names = new Set(
    all
      .filter(({ updated }) => updated > since)
      .flatMap(({ facts }) => [facts.source ?? [], `${facts.agent}:${facts.originalId}`].flat()),
  );
  if (names.size === 0) return { lineages: [], until };
  const found = lineagesIn(all);
  return { lineages: found.filter((one) => sessionsOf(one).some((name) => names.has(name))), until };
}

/** What it is a picture of was done before, and must not seem to have failed. */
function notPlaced({ message }: BatonError): string {
  return `What was asked for is done, but ${message} The next switch, return or undo makes up for it.`;
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
