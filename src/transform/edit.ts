// The session editor: takes entries out of a session on its way and puts other content into them. Streams; what is
// asked for is checked against the skeleton before anything is read.
import { mapped } from "../session/batches.ts";
import { BatonError } from "../session/error.ts";
import { loss } from "../session/losses.ts";
import type { Entry, Part, ToolCall } from "../session/session.ts";
import type { Skeleton } from "../session/skeleton.ts";
import type { Source, Stream } from "../session/source.ts";
import { positionOf } from "./fork.ts";
import { threadPositions } from "./visible.ts";

export interface EditRequest {
  /** Ids of entries to take out, or unique beginnings of them. */
  drop: readonly string[];
  replace: readonly Replacement[];
}

export interface Replacement {
  entry: string;
  /** Another text; for a tool call its arguments as JSON. */
  content: string;
}

/** What is to be done, by the ids of entries. */
export interface Edits {
  dropped: ReadonlySet<string>;
  replaced: ReadonlyMap<string, string | Record<string, unknown>>;
  /** What goes with what was named, in sentences. */
  warnings: readonly string[];
}

/** Throws where an id means nothing, too much, or something that cannot be edited. */
export function editsFor(source: Source, { drop, replace }: EditRequest): Edits {
  const { skeleton } = source;
  const onBranch = new Set(threadPositions(skeleton, { history: "full" }));
  const find = (name: string) => found(source, onBranch, name);
  const dropped = new Set(drop.map((name) => droppable(skeleton, find(name))));
  const warnings = withPartners(skeleton, onBranch, dropped);
  const replaced = new Map<string, string | Record<string, unknown>>();
  for (const { entry, content } of replace) {
    const position = find(entry);
    const id = skeleton.id(position);
    if (dropped.has(id)) throw conflict(`The entry ${id} cannot be dropped and replaced.`);
    if (replaced.has(id)) throw conflict(`The entry ${id} is replaced twice.`);
    replaced.set(id, replacementFor(skeleton, position, content));
  }
  const edited = [...dropped, ...replaced.keys()].filter((id) => isSummarised(skeleton, id));
  return { dropped, replaced, warnings: [...warnings, ...edited.map(unseen)] };
}

/** Whether a compaction took the place of an entry; what it kept of it stands in the compaction. */
function isSummarised(skeleton: Skeleton, id: string): boolean {
  const position = skeleton.find(id);
  return skeleton.type(position) !== "compaction" && !new Set(threadPositions(skeleton)).has(position);
}

function unseen(id: string): string {
  return `${id} stands before a compaction: what that repeats of it may still be there, so look with \`baton show --visible\`.`;
}

function found(source: Source, onBranch: ReadonlySet<number>, name: string): number {
  const position = positionOf(source, name);
  if (onBranch.has(position)) return position;
  throw new BatonError(
    "refused",
    `The entry ${source.skeleton.id(position)} is not on the branch that is forked.`,
    "Fork the branch that holds it with --at ENTRY, or leave it out.",
  );
}

function conflict(message: string): BatonError {
  return new BatonError("usage", message, "Use --drop or --replace for an entry, and only once.");
}

function droppable(skeleton: Skeleton, position: number): string {
  if (skeleton.type(position) !== "compaction") return skeleton.id(position);
  throw new BatonError(
    "refused",
    `${skeleton.id(position)} is a compaction: without it the history it replaced would come back.`,
    "Fork before it with --at ENTRY, or change its summary with --replace.",
  );
}

/** A call without its result, or a result without its call, is refused by every vendor. */
function withPartners(skeleton: Skeleton, onBranch: ReadonlySet<number>, dropped: Set<string>): string[] {
  const calls = new Map<number, string>();
  for (const id of dropped) {
    const call = skeleton.call(skeleton.find(id));
    if (call !== -1) calls.set(call, id);
  }
  const warnings: string[] = [];
  for (const position of onBranch) {
    const named = calls.get(skeleton.call(position));
    const id = skeleton.id(position);
    if (named === undefined || dropped.has(id)) continue;
    dropped.add(id);
    const what = skeleton.type(position) === "tool_call" ? "call" : "result";
    warnings.push(`With ${named} its ${what} ${id} is dropped too: neither can stand alone.`);
  }
  return warnings;
}

function replacementFor(
  skeleton: Skeleton,
  position: number,
  content: string,
): string | Record<string, unknown> {
  const type = skeleton.type(position);
  if (type === "switch")
    throw new BatonError(
      "refused",
      `${skeleton.id(position)} is a switch, which has no text to replace.`,
      "Name a message, a tool call or a tool result.",
    );
  return type === "tool_call" ? argumentsIn(skeleton.id(position), content) : content;
}

function argumentsIn(id: string, content: string): Record<string, unknown> {
  const hint = `Write the call's "input" as \`baton show SESSION --format json\` shows it.`;
  let value: unknown;
  try {
    value = JSON.parse(content);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new BatonError("usage", `The arguments for ${id} are not JSON: ${reason}.`, hint, error);
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>;
  throw new BatonError("usage", `The arguments for ${id} are not a JSON object.`, hint);
}

/**
 * Subagents stay as they are; one whose call is gone goes too. What is replaced but not in the stream is a loss, once
 * the entries have been read, unless it is among those that were `met` before.
 */
export function edited(stream: Stream, edits: Edits, met: ReadonlySet<string> = new Set()): Stream {
  const { dropped, replaced } = edits;
  let unmet = new Map<string, string>();
  const links = stream.header.links?.filter(
    ({ type, entry }) => type !== "subagent" || entry === undefined || !dropped.has(entry),
  );
  const gone = new Set(
    stream.header.links?.filter((link) => !links?.includes(link)).map(({ session }) => session),
  );
  return {
    ...stream,
    header: { ...stream.header, ...(links && { links }) },
    get losses() {
      const ignored = [...unmet].filter(([entry]) => !met.has(entry));
      return [
        ...stream.losses,
        ...ignored.map(([entry, reason]) => loss("edit_ignored", { entry }, `${entry}: ${reason}`)),
      ];
    },
    entries: () => {
      unmet = new Map([...replaced.keys()].map((id) => [id, "the model no longer sees it"]));
      return mapped(stream.entries(), (batch) =>
        batch.flatMap((entry) => {
          if (isEditable(entry)) unmet.delete(entry.id);
          else if (unmet.has(entry.id)) unmet.set(entry.id, NO_SUMMARY);
          return changed(entry, edits) ?? [];
        }),
      );
    },
    async *children() {
      for await (const child of stream.children()) {
        const { cli, originalId = child.header.id } = child.header.source;
        if (!gone.has(`${cli}:${originalId}`)) yield child;
      }
    },
  };
}

/** What `view` makes of a session with its edits: summaries are replaced before what they stand among is shown. */
export function editedIn(source: Source, edits: Edits, view: (source: Source) => Stream): Stream {
  const met = new Set<string>();
  const summarised: Source = {
    ...source,
    get losses() {
      return source.losses;
    },
    entries: (range) =>
      mapped(source.entries(range), (batch) =>
        batch.map((entry) => {
          const content = edits.replaced.get(entry.id);
          if (entry.type !== "compaction" || content === undefined || !isEditable(entry)) return entry;
          met.add(entry.id);
          return withContent(entry, content);
        }),
      ),
  };
  return edited(view(summarised), edits, met);
}

const NO_SUMMARY = "this compaction has no summary of its own; one may stand in the entry behind it";

function isEditable(entry: Entry): boolean {
  return entry.type !== "compaction" || !entry.replacement || summaryIn(entry).length > 0;
}

/** Where the summary stands among what a compaction left. */
function summaryIn({ summary, replacement = [] }: Compacted): number[] {
  if (!summary) return [];
  const texts = replacement.map((one) =>
    one.type === "user" || one.type === "assistant" ? one.content : "",
  );
  const at = texts.lastIndexOf(summary);
  if (at !== -1) return [at];
  // A model may have said it in pieces.
  const said = replacement.flatMap(({ type }, place) => (type === "assistant" ? [place] : []));
  return said.map((place) => texts[place]).join("\n\n") === summary ? said : [];
}

function withSummary(entry: Compacted, summary: string): Compacted {
  const { replacement } = entry;
  if (!replacement) return { ...entry, summary };
  const [first, ...others] = summaryIn(entry);
  const now = replacement.flatMap((one, at) => {
    if (others.includes(at)) return [];
    return [at === first ? (withContent(one as Entry, summary) as typeof one) : one];
  });
  return first === undefined ? entry : { ...entry, summary, replacement: now };
}

function changed(entry: Entry, { dropped, replaced }: Edits): Entry | undefined {
  if (isDropped(entry, dropped)) return undefined;
  const kept = entry.type === "compaction" ? withoutKept(entry, dropped) : entry;
  const content = replaced.get(entry.id);
  return content === undefined ? kept : withContent(kept, content);
}

type Compacted = Extract<Entry, { type: "compaction" }>;

/** What a compaction left may repeat a call or a result, which then goes there too. */
function withoutKept(entry: Compacted, dropped: ReadonlySet<string>): Compacted {
  const { keeps, replacement } = entry;
  return {
    ...entry,
    ...(keeps && { keeps: keeps.filter((id) => !dropped.has(id)) }),
    ...(replacement && { replacement: replacement.filter((one) => !isDropped(one as Entry, dropped)) }),
  };
}

/** A result goes with its call, under whatever name it is repeated. */
function isDropped(entry: Entry, dropped: ReadonlySet<string>): boolean {
  return dropped.has(entry.id) || (entry.type === "tool_result" && dropped.has(entry.callId));
}

function withContent(entry: Entry, content: string | Record<string, unknown>): Entry {
  if (typeof content !== "string")
    return entry.type === "tool_call" ? ({ ...entry, input: content } satisfies ToolCall) : entry;
  const parts = entry.parts && { parts: withText(entry.parts, content) };
  switch (entry.type) {
    case "user":
    case "assistant":
    case "system":
      return { ...entry, content, ...parts };
    case "tool_result": {
      const { cleared: _, ...rest } = entry;
      return { ...rest, output: content, ...parts, ...(entry.error !== undefined && { error: content }) };
    }
    case "compaction":
      return withSummary(entry, content);
    default:
      return entry;
  }
}

/** Images and thinking keep their place; all text becomes one. */
function withText(parts: readonly Part[], text: string): Part[] {
  const at = parts.findIndex((part) => part.type === "text");
  const others = parts.filter((part) => part.type !== "text");
  const place = at === -1 ? others.length : at;
  return [...others.slice(0, place), { type: "text", text }, ...others.slice(place)];
}
