// Carries a session into an agent as a new session there: prepare its content, then write it.
import type { Adapter, Home, SessionRef, Target } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import type { Loss } from "../session/losses.ts";
import type { Range, Source, Stream } from "../session/source.ts";
import { type Edits, editedIn } from "../transform/edit.ts";
import type { Redactor } from "../transform/redact.ts";
import { redacted } from "../transform/redact-session.ts";
import { type Move, movedPath, remapped } from "../transform/remap.ts";
import { thread, visible } from "../transform/visible.ts";
import { type Ledger, newLedger, UnlikeError } from "./ledger.ts";
import type { ProviderSwitch } from "./lineage.ts";
import { nameOf } from "./name.ts";
import { type Carried, perform, writerOf } from "./perform.ts";
import { prepare } from "./prepare.ts";
import { endedBy, type Recording, recordingOf, settleConversations } from "./record.ts";
import { type Reduced, reduced } from "./reduce.ts";
import { type Standing, standingOf } from "./standing.ts";
import type { Thinker } from "./thinking.ts";

export interface CarryRequest {
  source: Source;
  /** Where the source was found, so that what is added there can be returned; none for a file. */
  from?: SessionRef;
  to: Adapter;
  home: Home;
  batonHome: string;
  /** Where the session goes on; absent = where it was. */
  cwd?: string;
  model?: string;
  history?: "visible" | "full";
  thinking?: "drop" | "convert";
  /** Who goes on, as far as its own thinking may stay. */
  thinker?: Thinker;
  /** False = tool calls and their results are left out. */
  toolHistory?: boolean;
  /** False = instructions that stand in the session are left out. */
  systemPrompt?: boolean;
  /** The same agent gets what another one would: its own records cannot stay as they are. */
  isCopy?: boolean;
  /** How a session that is too long is made to fit. */
  reduction?: Omit<Reduced, "source" | "now">;
  /** Another provider takes over: recorded in the target, the journal and the conversation's file. */
  switch?: ProviderSwitch;
  /** What of all that was lost is recorded with it. */
  recorded?(losses: readonly Loss[]): string[];
  /** What was asked for, so that the same again finds what was written. */
  asked?: string;
  /** Tokens of what is written, for whoever finds it again. */
  after?: number;
  /** What is taken out or replaced on the way. */
  edits?: Edits;
  /** Folders that lie elsewhere now. */
  moves?: readonly Move[];
  /** Hides secrets on the way; the source keeps them. */
  redactor?: Redactor;
  kind: "resume" | "fork";
  /** Why, for the record. */
  reason?: string;
  /** Analyse only: everything but the disk. */
  dryRun?: boolean;
  /** Go on although content would be missing. */
  yes?: boolean;
  now?: Date;
  installed?: { version: string; path: string } | undefined;
}

export async function carry(request: CarryRequest): Promise<Carried> {
  // What is not written is not read back, so damage inside a long text has to show at once.
  if (request.dryRun) return attempt(request, "whole");
  const stood = request.from && (await standingOf(request.source, request.from));
  const carried = await written(request, stood);
  if (!request.switch) return carried;
  const problems = await settleConversations(request.batonHome);
  return { ...carried, ...(problems.length > 0 && { problems }) };
}

async function written(request: CarryRequest, stood: Standing | undefined): Promise<Carried> {
  // A text that is to be shortened has to be there.
  if (request.reduction) return attempt(request, "whole", stood);
  try {
    return await attempt(request, "referenced", stood);
  } catch (error) {
    // Damage inside a text that only passed through shows when it is read back. Read whole, it is reported.
    if (!(error instanceof UnlikeError) || isOwn(request)) throw error;
    return attempt(request, "whole", stood);
  }
}

async function attempt(given: CarryRequest, texts: Range["texts"], stood?: Standing): Promise<Carried> {
  const { redactor } = given;
  const request = {
    ...given,
    ...(redactor && { source: redacted(given.source, redactor) }),
    // Its index and its warnings are known once all of it has been read; the journal is saved once more then.
    ...(given.switch && { switch: { ...given.switch } }),
  };
  const { to, batonHome, source, kind, reason, model, dryRun, yes, switch: made, asked, after } = request;
  const target = await targetOf(request);
  const ledger = newLedger();
  return perform({
    stream: streamFor(request, texts, ledger),
    ledger,
    to,
    target,
    batonHome,
    facts: {
      kind,
      source: nameOf(source.header),
      ...(stood && { stood }),
      ...(reason !== undefined && { reason }),
      ...(request.moves && { remapped: request.moves }),
      ...((request.edits || redactor) && { edited: true }),
      ...(made && { switch: made }),
      ...(target.title !== undefined && { title: target.title }),
      ...(asked !== undefined && { asked }),
      ...(after !== undefined && { after }),
    },
    ...(request.edits && { edited: [...request.edits.replaced.keys()] }),
    ...(model !== undefined && { model }),
    ...(dryRun && { dryRun }),
    ...(yes && { yes }),
    ...(!dryRun && { recording: await recordingFor(request, target) }),
  });
}

async function recordingFor(
  { source, from, to, batonHome, switch: made }: CarryRequest,
  target: Target,
): Promise<Recording | undefined> {
  const main = from?.files.find(({ role }) => role === "main");
  if (!made || !main || !to.pathOf) return undefined;
  const written = { agent: to.id, id: target.originalId, path: to.pathOf(target) };
  return recordingOf(batonHome, source, main, written, made);
}

type TargetRequest = Pick<
  CarryRequest,
  "source" | "to" | "home" | "cwd" | "model" | "moves" | "installed" | "now"
>;

/** A new session. */
export async function targetOf(request: TargetRequest): Promise<Target> {
  const { source, home } = request;
  const to = writerOf(request.to);
  const cwd = request.cwd ?? movedPath(source.header.project.path, request.moves ?? []);
  if (cwd === "")
    throw new BatonError(
      "refused",
      "This session does not say which folder it belongs to.",
      "Name the folder to go on in with --cwd DIR.",
    );
  return {
    home,
    originalId: to.newId?.() ?? crypto.randomUUID(),
    cwd,
    version: request.installed?.version ?? to.proven.at(-1) ?? "0.0.0",
    ...(request.installed && { cli: request.installed.path }),
    now: request.now ?? new Date(),
    configuration: await to.configuration(home, cwd),
    ...(request.model !== undefined && { model: request.model }),
    ...(source.header.title !== undefined && { title: source.header.title }),
  };
}

function isOwn({ source, to, isCopy }: CarryRequest): boolean {
  return source.header.source.cli === to.id && !isCopy;
}

/** Writers give their own agent its records back where there are any. */
function writtenAnew(stream: Stream): Stream {
  const { records: _, ...rest } = stream;
  return {
    ...rest,
    get losses() {
      return stream.losses;
    },
    async *children() {
      for await (const child of stream.children()) yield writtenAnew(child);
    },
  };
}

/** The same agent gets its own records back; another one gets what the model sees, prepared for it. */
function streamFor(request: CarryRequest, texts: Range["texts"], ledger: Ledger): Stream {
  if (isOwn(request)) {
    const own = changed(thread, request);
    // Without its records it is written anew, and then every call needs its result as well.
    return own.records ? own : prepare(own, { thinking: "keep" });
  }
  const { reduction, source, now = new Date(), switch: made } = request;
  const content = contentFor(request, texts);
  const stream = request.isCopy ? writtenAnew(content) : content;
  const short = reduction ? reduced(stream, { ...reduction, source: nameOf(source.header), now }) : stream;
  if (!made) return short;
  return endedBy(short, made, 0, (index) => {
    made.messageIndex = index;
    if (request.recorded) made.warnings = request.recorded([...short.losses, ...ledger.losses]);
  });
}

type Content = Pick<
  CarryRequest,
  "source" | "history" | "thinking" | "thinker" | "toolHistory" | "systemPrompt" | "edits" | "moves"
>;

/** What the model sees, with its content prepared; `look`: whoever wants to see it before that. */
export function contentFor(
  request: Content,
  texts: Range["texts"],
  look: (stream: Stream) => Stream = (stream) => stream,
): Stream {
  const { history = "visible", thinking = "drop", thinker, toolHistory, systemPrompt } = request;
  return prepare(look(changed((one) => visible(one, { history, texts }), request)), {
    thinking,
    ...(thinker && { to: thinker }),
    ...(toolHistory !== undefined && { toolHistory }),
    ...(systemPrompt !== undefined && { systemPrompt }),
  });
}

function changed(
  view: (source: Source) => Stream,
  { source, edits, moves = [] }: Pick<CarryRequest, "source" | "edits" | "moves">,
): Stream {
  return remapped(edits ? editedIn(source, edits, view) : view(source), moves);
}
