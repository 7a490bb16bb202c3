// The catalog as a command needs it: opened, brought up to date, and made anew when it is damaged.
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Place } from "../adapters/adapter.ts";
import { archiveFolder } from "../catalog/archive/folder.ts";
import { type Catalog, discardCatalog, isCurrent, isDamage, openCatalog } from "../catalog/catalog.ts";
import { noteStore, storeStamp } from "../catalog/known.ts";
import { projectsIn } from "../catalog/query.ts";
import { type SyncOptions, type SyncReport, sync } from "../catalog/sync.ts";
import { BatonError } from "../session/error.ts";
import type { Context } from "./context.ts";
import type { Output, Progress } from "./output.ts";
import { bytes, counted } from "./text.ts";

export interface Wanted extends Pick<SyncOptions, "words" | "newest"> {
  /** See SyncOptions; it says how far it is, in bytes. */
  meanwhile?(onProgress: (done: number, ofBytes: number) => void): Promise<unknown>;
  /** Only these agents' stores are looked at; absent = all. */
  places?: readonly Place[];
}

/** As often others may make it anew under our hands; each of them does so once, when it begins. */
const MOST_TRIES = 20;

/** Hands the catalog, as it is now, to `use`. */
export async function withCatalog<T>(
  context: Context,
  wanted: Wanted,
  use: (catalog: Catalog, report: SyncReport) => T | Promise<T>,
): Promise<T> {
  let isMadeAnew = false;
  for (let tries = 1; ; tries++) {
    const { catalog, close } = openSomewhere(context);
    try {
      return await use(catalog, await update(context, catalog, wanted));
    } catch (error) {
      const isReplaced = !isCurrent(catalog) && tries < MOST_TRIES;
      if (!isReplaced && (isMadeAnew || !isDamage(error))) throw error;
      if (isReplaced) continue;
      isMadeAnew = true;
      context.output.warn("The catalog is damaged; it is made anew from the stores.");
      discardCatalog(context.batonHome, catalog);
    } finally {
      close();
    }
  }
}

export async function update(context: Context, catalog: Catalog, wanted: Wanted): Promise<SyncReport> {
  const { output, home } = context;
  const places = wanted.places ?? (await context.places());
  // Agents are asked for their projects only when the catalog cannot know them yet, or is to know all.
  const known = wanted.words ? [] : projectsIn(catalog);
  const first = () => context.findProjects(known.length > 0 ? known : undefined);
  const progress = output.progress("Reading sessions:");
  const bar = sharedBar(progress);
  const { meanwhile } = wanted;
  const problems: string[] = [];
  const report = await sync(catalog, home, places, {
    words: wanted.words,
    first,
    ...(wanted.newest !== undefined && { newest: wanted.newest }),
    ...(meanwhile && {
      meanwhile() {
        bar.share();
        return meanwhile(bar.beside);
      },
    }),
    onProgress: ({ bytes: done, ofBytes }) => bar.reading(done, ofBytes),
    onProblem: (path, error) => problems.push(`${path}: ${error.message}`),
  });
  progress.end();
  if (wanted.newest === undefined) await adoptOnce(context, catalog);
  warnOfUnseen(output, problems);
  return report;
}

/** Parts of stores that could not be looked at, each with why. */
export function warnOfUnseen(output: Output, problems: readonly string[]): void {
  if (problems.length === 0) return;
  output.warn(
    `${counted(problems.length, "place")} could not be looked at: ${problems[0]}. \`baton doctor\` shows all.`,
  );
}

/** One bar for what is read, and for what is done with it meanwhile. */
function sharedBar(progress: Progress) {
  const [own, other] = [
    { done: 0, of: 0 },
    { done: 0, of: 0 },
  ];
  let isShared = false;
  const show = (which: typeof own, done: number, of: number) => {
    Object.assign(which, { done, of });
    // As much again, as long as nobody knows how much.
    const more = isShared ? other.of || own.of : 0;
    progress.at(own.done + other.done, own.of + more, bytes);
  };
  return {
    share() {
      isShared = true;
    },
    reading: (done: number, of: number) => show(own, done, of),
    beside: (done: number, of: number) => show(other, done, of),
  };
}

const ADOPTED = ["archive", "adopted"] as const;

/** A catalog that was just made, for whatever reason, knows nothing of the sessions that only the archive holds. */
async function adoptOnce(context: Context, catalog: Catalog): Promise<void> {
  if (storeStamp(catalog, ADOPTED[0]) === ADOPTED[1]) return;
  if (existsSync(archiveFolder(context.batonHome))) {
    const { addGone } = await import("./archiving.ts");
    await addGone(context, catalog);
  }
  noteStore(catalog, ADOPTED);
}

interface Opened {
  catalog: Catalog;
  close(): void;
}

/** Where nothing can be kept, a catalog is made for this once. */
function openSomewhere({ batonHome, output }: Context): Opened {
  try {
    const catalog = openCatalog(batonHome);
    for (const why of catalog.rebuilt) output.warn(why);
    return { catalog, close: () => catalog.close() };
  } catch (error) {
    if (!isUnwritable(error)) throw error;
    output.warn(`${batonHome} cannot be written to, so all sessions are read anew.`);
    const folder = mkdtempSync(join(tmpdir(), "baton-catalog-"));
    const catalog = openCatalog(folder);
    return {
      catalog,
      close() {
        catalog.close();
        rmSync(folder, { recursive: true });
      },
    };
  }
}

function isUnwritable(error: unknown): boolean {
  if (error instanceof BatonError) return error.code === "not_writable";
  return ["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );
}
