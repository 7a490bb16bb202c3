// Carries a session into an agent as a new session there: prepare its content, then write it.
import type { Adapter, Home, SessionRef, Target } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import type { Header } from "../session/session.ts";
import type { Range, Source, Stream } from "../session/source.ts";
import { type Edits, editedIn } from "../transform/edit.ts";
import type { Redactor } from "../transform/redact.ts";
import { redacted } from "../transform/redact-session.ts";
import { type Move, movedPath, remapped } from "../transform/remap.ts";
import { thread, visible } from "../transform/visible.ts";
import { UnlikeError } from "./ledger.ts";
import { type Carried, perform, writerOf } from "./perform.ts";
import { prepare } from "./prepare.ts";
import { type Standing, standingOf } from "./standing.ts";

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
  const request = redactor ? { ...given, source: redacted(given.source, redactor) } : given;
  const { to, batonHome, source, kind, reason, model, dryRun, yes } = request;
  return perform({
    stream: streamFor(request, texts),
    to,
    target: await targetOf(request),
    batonHome,
    facts: {
      kind,
      source: nameOf(source.header),
      ...(stood && { stood }),
      ...(reason !== undefined && { reason }),
      ...(request.moves && { remapped: request.moves }),
      ...((request.edits || redactor) && { edited: true }),
    },
    ...(request.edits && { edited: [...request.edits.replaced.keys()] }),
    ...(model !== undefined && { model }),
    ...(dryRun && { dryRun }),
    ...(yes && { yes }),
  });
}

/** A session as other sessions name it. */
export function nameOf({ source, id }: Pick<Header, "source" | "id">): string {
  return `${source.cli}:${source.originalId ?? id}`;
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
    configuration: await to.configuration(home),
    ...(request.model !== undefined && { model: request.model }),
    ...(source.header.title !== undefined && { title: source.header.title }),
  };
}

function isOwn({ source, to }: CarryRequest): boolean {
  return source.header.source.cli === to.id;
}

/** The same agent gets its own records back; another one gets what the model sees, prepared for it. */
function streamFor(request: CarryRequest, texts: Range["texts"]): Stream {
  const { history = "visible", thinking = "drop" } = request;
  if (isOwn(request)) {
    const own = changed(thread, request);
    // Without its records it is written anew, and then every call needs its result as well.
    return own.records ? own : prepare(own, { thinking: "keep" });
  }
  return prepare(
    changed((one) => visible(one, { history, texts }), request),
    { thinking },
  );
}

function changed(view: (source: Source) => Stream, { source, edits, moves = [] }: CarryRequest): Stream {
  return remapped(edits ? editedIn(source, edits, view) : view(source), moves);
}
