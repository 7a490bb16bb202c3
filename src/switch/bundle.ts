// A session as the files of an agent, beside a file of the user's choice instead of in the agent's store.
import { basename, dirname, isAbsolute, join, relative, resolve } from "node:path";
import type { Adapter, Home, Target } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import { type Loss, loss } from "../session/losses.ts";
import type { Source, Stream } from "../session/source.ts";
import type { Change } from "../storage/changes.ts";
import type { ExportPiece } from "../storage/export.ts";
import { visible } from "../transform/visible.ts";
import { type Ledger, newLedger, recordsOnly } from "./ledger.ts";
import { prepare } from "./prepare.ts";

export interface BundleRequest {
  source: Source;
  to: Adapter;
  home: Home;
  /** Where the main file goes; the others keep their place beside it. */
  path: string;
  now?: Date;
}

/** The pieces of all files, each file's in order; `losses` is complete when they are drained. */
export async function bundle(
  request: BundleRequest,
): Promise<{ pieces: AsyncIterable<ExportPiece>; losses: Loss[] }> {
  const { to, source } = request;
  if (!to.write || !to.plan || !to.pathOf)
    throw new BatonError(
      "unsupported",
      `Baton cannot write ${to.label} sessions yet.`,
      "Pick another format.",
    );
  const documents = `${resolve(request.path)}.documents`;
  const target = { ...(await targetOf(request)), documents };
  const stream = streamFor(source, to);
  const ledger = newLedger();
  const { losses } = ledger;
  const records = recordsOnly(to.write(stream, target), ledger);
  if (to.exchange) return { pieces: exchanged(to.exchange(records), request.path, stream, ledger), losses };
  const changes = to.plan(records, target);
  return { pieces: pieces(changes, to.pathOf(target), request.path, documents, stream, losses), losses };
}

/** The same agent gets all of its records back under the same id; another one what its model would see. */
function streamFor(source: Source, to: Adapter): Stream {
  return source.header.source.cli === to.id ? source : prepare(visible(source), { thinking: "drop" });
}

async function targetOf({ source, to, home, now }: BundleRequest): Promise<Target> {
  const { header } = source;
  const own = header.source.cli === to.id ? header.source.originalId : undefined;
  return {
    home,
    originalId: own ?? to.newId?.() ?? crypto.randomUUID(),
    cwd: header.project.path === "" ? "/" : header.project.path,
    version: header.source.cli === to.id ? (header.source.version ?? "0.0.0") : (to.proven.at(-1) ?? "0.0.0"),
    now: now ?? new Date(),
    configuration: await to.configuration(home),
    ...(header.title !== undefined && { title: header.title }),
  };
}

async function* pieces(
  changes: AsyncIterable<Change>,
  main: string,
  path: string,
  documents: string,
  stream: Stream,
  losses: Loss[],
): AsyncGenerator<ExportPiece> {
  // An append goes to a file of the store that is not this session's alone.
  for await (const change of changes) {
    if (change.type !== "create") continue;
    const isDocument = dirname(change.path) === documents;
    yield { path: isDocument ? change.path : beside(change.path, main, path), bytes: change.bytes };
  }
  losses.unshift(...stream.losses);
}

/** Where a store is no file of its own, a file in the agent's own form for that stands for it. */
async function* exchanged(
  text: AsyncIterable<string>,
  path: string,
  stream: Stream,
  { losses, marks }: Ledger,
): AsyncGenerator<ExportPiece> {
  for await (const bytes of text) yield { path, bytes };
  // The file holds one session, whatever the writer could have linked in a store.
  const others = [...marks.keys()].filter((file) => file !== "main");
  const kept = losses.filter(({ kind }) => kind !== "subagent_linked");
  const dropped = others.map((file) => loss("subagent_dropped", { file }, "the file holds one session"));
  losses.splice(0, losses.length, ...stream.losses, ...kept, ...dropped);
}

function beside(file: string, main: string, path: string): string {
  if (file === main) return path;
  const way = relative(dirname(main), file);
  const isBelow = !isAbsolute(way) && !way.startsWith("..");
  const place = join(dirname(path), isBelow ? way : basename(file));
  if (place !== path) return place;
  throw new BatonError(
    "usage",
    `${path} is the name of another file that belongs to this session.`,
    "Name the session's own file differently.",
  );
}
