// What a session holds that another agent or model may not take as it is, with the messages that it concerns. Found
// in one pass over what the model sees, while the entries go by.
import { mapped } from "../session/batches.ts";
import type { Entry, Part, ToolCall } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { newMessageCounter } from "./message-count.ts";

/** How often something occurs, and where: indices into the list of messages, and ids of entries. */
export interface Mention {
  count: number;
  messages: number[];
  entries: string[];
  /** By entry, where one has several. */
  counts: Map<string, number>;
}

export function newMention(): Mention {
  return { count: 0, messages: [], entries: [], counts: new Map() };
}

export type Feature =
  | "thinking"
  /** Reasoning whose text its vendor keeps to itself. */
  | "hiddenThinking"
  | "artifacts"
  | "images"
  | "pdfs"
  /** Images that a model made. */
  | "generatedImages"
  /** What a provider found for its model: grounding, and calls to search or browse. */
  | "webResults"
  | "webCalls"
  /** Code that ran at a provider. */
  | "codeExecution"
  | "unfinishedCalls";

export interface Survey {
  /** Of the whole list, tool results included. */
  messages: number;
  toolCalls: number;
  toolResults: number;
  /** Files that calls changed, with the messages of these calls. */
  files: ReadonlyMap<string, ReadonlySet<number>>;
  features: ReadonlyMap<Feature, Mention>;
  /** By the tool's name in the session: every tool that is none of the common ones. */
  otherTools: ReadonlyMap<string, Mention>;
  /** The message that an entry belongs to. */
  messageOf(entry: string): number | undefined;
  /** The entries of such messages. */
  entriesOf(isSuch: (message: number) => boolean): string[];
}

/** The stream itself, and what is found in it when it is read for the first time, which has to be to the end. */
export function surveyed(stream: Stream): { stream: Stream; survey: Survey } {
  const surveyor = newSurveyor();
  let isSurveyed = false;
  const entries = () => {
    if (isSurveyed) return stream.entries();
    isSurveyed = true;
    return mapped(stream.entries(), (batch) => {
      for (const entry of batch) surveyor.add(entry);
      return batch;
    });
  };
  return {
    survey: surveyor.survey,
    stream: {
      ...stream,
      get losses() {
        return stream.losses;
      },
      entries,
    },
  };
}

/** The same where the stream is made of one that has to be looked at before. */
export function surveyedIn(make: (look: (stream: Stream) => Stream) => Stream): ReturnType<typeof surveyed> {
  const looked: Survey[] = [];
  const stream = make((one) => {
    const found = surveyed(one);
    looked.push(found.survey);
    return found.stream;
  });
  const [survey] = looked;
  if (!survey) throw new Error("The stream was made without being looked at.");
  return { stream, survey };
}

/** What of it is in these messages. */
export function within(survey: Survey, kept: ReadonlySet<number>): Survey {
  const stays = (entry: string) => kept.has(survey.messageOf(entry) ?? -1);
  const narrowed = <Key>(found: ReadonlyMap<Key, Mention>) =>
    new Map(
      [...found]
        .map(([key, one]) => [key, onlyIn(one, stays, survey)] as const)
        .filter(([, { count }]) => count > 0),
    );
  return {
    ...survey,
    files: new Map([...survey.files].filter(([, messages]) => [...messages].some((one) => kept.has(one)))),
    features: narrowed(survey.features),
    otherTools: narrowed(survey.otherTools),
  };
}

function onlyIn({ entries, counts }: Mention, stays: (entry: string) => boolean, survey: Survey): Mention {
  const left = entries.filter(stays);
  const messages = [...new Set(left.flatMap((entry) => survey.messageOf(entry) ?? []))];
  const own = new Map(left.map((entry) => [entry, counts.get(entry) ?? 1]));
  return {
    count: [...own.values()].reduce((sum, one) => sum + one, 0),
    messages,
    entries: left,
    counts: own,
  };
}

function newSurveyor() {
  const state = newState();
  return {
    add: (entry: Entry) => look(entry, state),
    survey: surveyOf(state),
  };
}

type State = ReturnType<typeof newState>;

function newState() {
  return {
    counter: newMessageCounter(),
    toolCalls: 0,
    toolResults: 0,
    files: new Map<string, Set<number>>(),
    features: new Map<Feature, Mention>(),
    otherTools: new Map<string, Mention>(),
    messages: new Map<string, number>(),
    open: new Map<string, number>(),
    /** Calls that were never finished, and those of them whose result is nothing but a note of that. */
    running: new Set<string>(),
    noted: new Set<string>(),
  };
}

function surveyOf(state: State): Survey {
  return {
    get messages() {
      return state.counter.count;
    },
    get toolCalls() {
      return state.toolCalls;
    },
    get toolResults() {
      return state.toolResults;
    },
    get files() {
      return state.files;
    },
    get features() {
      const open = mentionOf([...state.open]);
      return open.count === 0
        ? state.features
        : new Map([...state.features, ["unfinishedCalls" as const, open]]);
    },
    get otherTools() {
      return state.otherTools;
    },
    messageOf: (entry) => state.messages.get(entry),
    entriesOf: (isSuch) => [...state.messages].flatMap(([entry, message]) => (isSuch(message) ? entry : [])),
  };
}

function mentionOf(found: readonly (readonly [entry: string, message: number])[]): Mention {
  return {
    count: found.length,
    messages: [...new Set(found.map(([, message]) => message))],
    entries: found.map(([entry]) => entry),
    counts: new Map(found.map(([entry]) => [entry, 1])),
  };
}

function look(entry: Entry, state: State): void {
  const message = state.counter.add(entry);
  if (message === undefined) return;
  state.messages.set(entry.id, message);
  switch (entry.type) {
    case "user":
      goOn(state);
      break;
    case "assistant":
      lookAtReply(entry, message, state);
      goOn(state);
      break;
    case "tool_call":
      lookAtCall(entry, message, state);
      break;
    case "tool_result":
      state.toolResults++;
      // Of a call that still runs some agents' stores say so at once.
      if (entry.interrupted && state.running.has(entry.callId)) state.noted.add(entry.callId);
      else state.open.delete(entry.callId);
      break;
    case "system":
    case "compaction":
    case "switch":
      break;
    default:
      entry satisfies never;
  }
  for (const part of entry.parts ?? []) lookAtPart(part, entry, message, state);
}

/** What was interrupted before somebody spoke is long over. */
function goOn({ noted, open }: State): void {
  for (const call of noted) open.delete(call);
  noted.clear();
}

function lookAtReply(entry: Extract<Entry, { type: "assistant" }>, message: number, state: State): void {
  const isApart = entry.thinking !== undefined && !entry.parts?.some(({ type }) => type === "thinking");
  if (isApart) noteThinking(entry, entry.thinking ?? "", message, state);
  // Where a reader keeps what the vendor said of its sources, it stands beside the text.
  if (GROUNDED.some((field) => field in entry)) mention(state.features, "webResults", entry.id, message);
}

const GROUNDED = ["groundingMetadata", "citations", "annotations"];

function noteThinking({ id }: Entry, text: string, message: number, state: State): void {
  mention(state.features, text === "" ? "hiddenThinking" : "thinking", id, message);
}

function lookAtCall(call: ToolCall, message: number, state: State): void {
  state.toolCalls++;
  if (call.hosted) {
    const isWeb = call.tool === "web_search" || call.tool === "web_fetch";
    mention(state.features, isWeb ? "webCalls" : "codeExecution", call.id, message);
  } else {
    state.open.set(call.id, message);
    if (call.status === "interrupted") state.running.add(call.id);
    if (call.tool === "web_search") mention(state.features, "webCalls", call.id, message);
  }
  if (call.tool === "unknown") mention(state.otherTools, call.originalTool ?? "unknown", call.id, message);
  if (call.tool === "write" || call.tool === "edit")
    for (const path of pathsOf(call))
      state.files.set(path, (state.files.get(path) ?? new Set()).add(message));
}

function pathsOf({ input }: ToolCall): string[] {
  const changes = Array.isArray(input.changes) ? (input.changes as { path?: unknown }[]) : [];
  return [input.path, ...changes.map(({ path }) => path)].filter(
    (path): path is string => typeof path === "string" && path !== "",
  );
}

function lookAtPart(part: Part, entry: Entry, message: number, state: State): void {
  switch (part.type) {
    case "thinking":
      noteThinking(entry, part.text, message, state);
      break;
    case "artifact":
      mention(state.features, "artifacts", entry.id, message);
      break;
    case "image":
      mention(state.features, entry.type === "assistant" ? "generatedImages" : "images", entry.id, message);
      break;
    case "document":
      if (isPdf(part)) mention(state.features, "pdfs", entry.id, message);
      break;
    case "text":
    case "code":
    case "error":
      break;
    default:
      part satisfies never;
  }
}

function isPdf({ mimeType, name, path, url }: Extract<Part, { type: "document" }>): boolean {
  if (mimeType !== undefined) return mimeType === "application/pdf";
  return /\.pdf(?:$|[?#])/i.test(name ?? path ?? url ?? "");
}

function mention<Key>(found: Map<Key, Mention>, key: Key, entry: string, message: number): void {
  const known = found.get(key) ?? newMention();
  found.set(key, known);
  known.count++;
  known.counts.set(entry, (known.counts.get(entry) ?? 0) + 1);
  if (known.messages.at(-1) !== message) known.messages.push(message);
  if (known.entries.at(-1) !== entry) known.entries.push(entry);
}
