// The file is a log: a message may come again, be taken back, or be replaced with the whole list. Only a pass over
// all of it tells which version of which message counts and what each one follows. This pass does what the CLI
// does when it loads a session, remembers ids and places only, and says of every line what becomes of it.
import { hash } from "node:crypto";
import type { NativeRecord } from "../../storage/records.ts";
import { entriesOf, isSpoken } from "./entries.ts";
import { newHistory, type Seen } from "./history.ts";
import {
  callIn,
  callsIn,
  isThought,
  listIn,
  type Message,
  membersOf,
  piecesOf,
  recordOf,
  responseIn,
  toolCallsOf,
} from "./native.ts";
import { type Ruling, rulingsOf } from "./rulings.ts";

type Batches = AsyncIterable<readonly NativeRecord[]> | Iterable<readonly NativeRecord[]>;

/** What becomes of each line that is not just read as it stands. One pass over whole records, seldom a second one. */
export async function surveyOf(read: () => Batches): Promise<ReadonlyMap<number, Ruling>> {
  // Only a list that takes the place of the history is compared with it, and most logs have none.
  return (
    (await survey(read(), UNPRINTED)) ?? ((await survey(read(), PRINTED)) as ReadonlyMap<number, Ruling>)
  );
}

/** Undefined when messages have to be compared and no prints of them were taken. */
async function survey(batches: Batches, prints: Prints): Promise<ReadonlyMap<number, Ruling> | undefined> {
  const history = newHistory();
  let answered: string[] = [];
  for await (const batch of batches)
    for (const { index, value } of batch) {
      const record = recordOf(value);
      if (record?.type === "rewind") history.rewind(record.to);
      else if (record?.type === "message") history.add(seen(record.message, index, ALONE, answered, prints));
      const held = record && listIn(record);
      if (!held) continue;
      if (held.replaces && prints === UNPRINTED) return undefined;
      const told = held.replaces ? [] : answered;
      const members = membersOf(held.list).map(([place, one]) => seen(one, index, place, told, prints));
      answered = told;
      if (held.replaces) history.replace(members, index);
      else for (const member of members) history.add(member);
    }
  return rulingsOf(history.finish());
}

/** The place of a message that has a line of its own. */
const ALONE = -1;

type Prints = (message: Message) => Pick<Seen, "print" | "answers">;

const PRINTED: Prints = (message) => ({ print: printOf(message), answers: answersOf(message) });
const UNPRINTED: Prints = () => ({ print: "", answers: new Map() });

function seen(message: Message, record: number, place: number, answered: string[], prints: Prints): Seen {
  const entries = entriesOf(message, { record, time: "", answered, before: [] });
  return {
    id: message.id,
    record,
    place,
    ...prints(message),
    isSpoken: isSpoken(message, entries),
    isShown: entries.length > 0,
    isContext: entries.some(({ type, injected }) => type === "system" && injected === true),
  };
}

/** The same for two versions that tell a model the same. Thoughts are never sent, and a resume moves them. */
function printOf(message: Message): string {
  const pieces = piecesOf(message.content).filter((piece) => !isThought(piece) && !responseIn(piece));
  const inside = callsIn(pieces);
  const calls = inside.length > 0 ? inside : toolCallsOf(message);
  const said = pieces.filter((piece) => !callIn(piece));
  return hashed([message.type, said, calls.map(({ id, name, args }) => [id, name, args ?? {}])]);
}

function answersOf(message: Message): Map<string, string> {
  const kept = toolCallsOf(message).flatMap(({ id, result }) =>
    typeof result === "string"
      ? [{ functionResponse: { id, response: { output: result } } }]
      : piecesOf(result),
  );
  const found = new Map<string, string>();
  for (const piece of [...kept, ...piecesOf(message.content)]) {
    const response = responseIn(piece);
    if (typeof response?.id === "string" && !found.has(response.id))
      found.set(response.id, hashed(response.response));
  }
  return found;
}

function hashed(value: unknown): string {
  const json = JSON.stringify(value) ?? "";
  return hash("sha256", json, "base64url").slice(0, 16);
}
