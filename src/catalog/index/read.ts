// Reads a session for the catalog, in one pass: what a list shows, the tokens of each message, the words of every
// text, and what the model does not see any more. Where reading stopped is a cursor; a file that grew is read from
// there on. A large session comes in several pieces, each of which can be stored by itself.
import type { Reader, SessionRef } from "../../adapters/adapter.ts";
import { conclude, type Reading } from "../../adapters/open.ts";
import type { Header } from "../../session/session.ts";
import { START } from "../../storage/position.ts";
import { problemsIn } from "../scan.ts";
import type { Doc, Put } from "./docs.ts";
import { newOrder, plainOrder, seenWhole } from "./order.ts";
import { type Cursor, LISTED_PROBLEMS, newPass, type Pass } from "./pass.ts";
import type { MessageUsage } from "./usages.ts";

export interface Piece {
  docs: Doc[];
  usages: MessageUsage[];
  /** Undefined when nothing could be read, or the session will be read as a whole again. */
  cursor: Cursor | undefined;
  /** Whether it goes on from what was stored before; otherwise it takes its place. */
  isContinued: boolean;
  /** Once the end is reached. */
  end?: {
    header: Header;
    problems: string[];
    /** See `cost_place` in schema.ts. */
    costPlace?: number | undefined;
    /** See `hidden` in schema.ts; undefined = as it was. */
    hidden: Uint8Array | null | undefined;
    /** Whether the header's tokens are those of the whole session, not of what was read now. */
    isWhole: boolean;
    /** False when it is worth trying again, although its files have not changed. */
    isLasting?: boolean;
    /** It could not be read: what is known of it from before stays. */
    isUnread?: true;
  };
}

export interface IndexOptions {
  /** Whether words are wanted; a list needs none, and reads faster without. */
  words: boolean;
  begun?: Cursor | undefined;
  /** Whether a glance is enough, as far as the session is plain; for a list no cursor comes of it. */
  isGlance?: boolean;
  put: Put;
}

/** So many characters make a piece. */
const PIECE = 4 << 20;
/** Nobody else is heard while a session is glanced at, and its words wait until all of it is read. */
const LARGEST_GLANCE = 32 << 20;

export async function* readSession(
  adapter: Reader,
  ref: SessionRef,
  { words, begun, isGlance = false, put }: IndexOptions,
): AsyncGenerator<Piece> {
  const reading = await adapter.reading(ref);
  const kept = words ? put : undefined;
  const glanced = isGlance ? glanceAt(adapter.id, reading, kept) : undefined;
  const from = reading.goesOn && !glanced ? begun : undefined;
  const pass = glanced ?? newPass(adapter.id, reading, from, kept, newOrder(from !== undefined));
  let isContinued = from !== undefined;
  if (!glanced)
    for await (const batch of reading.read({ from: from?.at ?? START, shrink: !words, valuesOnly: !words })) {
      for (const record of batch) pass.record(record);
      if (pass.size() >= PIECE) {
        yield { ...pass.take(), isContinued };
        isContinued = true;
      }
    }
  const { header, order, provisional, costPlace } = pass.finish();
  const concluded = await conclude(reading, header);
  const piece = pass.take();
  const { hidden, structure } = await seenWhole(adapter, ref, order, from?.structure);
  piece.cursor.structure = structure.slice(0, LISTED_PROBLEMS);
  const problems = new Set([
    ...piece.cursor.problems,
    ...problemsIn(reading.extra?.losses ?? []),
    ...structure,
    ...problemsIn([...provisional, ...concluded.losses]),
  ]);
  // Nothing will ever go on from where reading cannot, nor from a glance for a list.
  const isEnd = !reading.goesOn || (glanced !== undefined && !words);
  yield {
    ...piece,
    ...(isEnd && { cursor: undefined }),
    isContinued,
    end: {
      header: concluded.header,
      hidden,
      costPlace,
      problems: [...problems].slice(0, LISTED_PROBLEMS),
      isWhole: from === undefined,
    },
  };
}

/**
 * A pass over a new session without waiting; undefined where it takes more to read it. For a list it ends at the first
 * problem: what it may mean is for `read` to tell.
 */
function glanceAt(agent: string, reading: Reading<unknown>, put: Put | undefined): Pass | undefined {
  const isWhole = put !== undefined;
  // Files beside the session are named by whole results.
  if (!reading.glance || (isWhole && reading.ref.files.some(({ role }) => role === "tool_result")))
    return undefined;
  const pass = newPass(agent, reading, undefined, put, isWhole ? newOrder(false) : plainOrder());
  const largest = isWhole ? PIECE : LARGEST_GLANCE;
  return reading.glance(pass.value, { isWhole, largest }) ? pass : undefined;
}
