// Opens the session that a command was given: one in a store, a native file anywhere, or a universal file.
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { Adapter, SessionRef } from "../adapters/adapter.ts";
import type { ArchivedSession } from "../catalog/archive/read.ts";
import { isPath, locate } from "../catalog/locate.ts";
import type { Found } from "../catalog/scan.ts";
import { understood } from "../catalog/understood.ts";
import { explain } from "../formats/explain.ts";
import { type Format, formats } from "../formats/index.ts";
import { BatonError } from "../session/error.ts";
import type { Source } from "../session/source.ts";
import { redacted } from "../transform/redact-session.ts";
import { openFromArchive } from "./archived.ts";
import type { Context } from "./context.ts";
import { redaction } from "./redaction.ts";

export interface Opened {
  source: Source;
  path: string;
  /** The agent it belongs to and where it was found; none for a universal file. */
  native?: { adapter: Adapter; ref: SessionRef };
  /** Only the archive holds it any more. */
  archived?: ArchivedSession;
}

/** To be shown: without secrets where that was asked for. */
export async function openSession(context: Context, name: string): Promise<Opened> {
  return shown(await openRecorded(context, name));
}

function shown(opened: Opened): Opened {
  return { ...opened, source: shownSource(opened.source) };
}

/** Of a session that was opened otherwise. */
export function shownSource(source: Source): Source {
  const redactor = redaction();
  return redactor ? redacted(source, redactor, { folder: true }) : source;
}

/** As it was recorded, for what is compared with other sessions or written: continue.ts hides what is to be hidden. */
export async function openRecorded(context: Context, name: string): Promise<Opened> {
  const adapters = await context.adapters();
  const file = await fileNamed(name);
  const stored = file === undefined ? undefined : await storedAs(name, context, adapters);
  const format = file === undefined || stored ? undefined : await recognised(file);
  if (file !== undefined && format) return { source: await readFormat(format, file), path: file };
  try {
    const found = stored ?? (await located(file, name, context, adapters));
    return { source: await found.adapter.open(found.ref), path: found.ref.path, native: found };
  } catch (error) {
    const isMissing = error instanceof BatonError && error.code === "not_found";
    const archived = isMissing ? await openFromArchive(context, name) : undefined;
    if (archived) return archived;
    throw error;
  }
}

async function located(
  file: string | undefined,
  name: string,
  { home }: Context,
  adapters: readonly Adapter[],
): Promise<Found> {
  try {
    return await locate(file ?? name, home, adapters);
  } catch (error) {
    if (file === undefined || !(error instanceof BatonError) || error.code !== "not_found") throw error;
    throw (await explain(file, formats)) ?? error;
  }
}

/** The session that a bare name means although a file happens to have that name too. */
async function storedAs(
  name: string,
  { home }: Context,
  adapters: readonly Adapter[],
): Promise<Found | undefined> {
  if (isPath(name)) return undefined;
  try {
    return await locate(name, home, adapters);
  } catch (error) {
    // No session is called so, or nothing could be.
    if (error instanceof BatonError && (error.code === "not_found" || error.code === "usage"))
      return undefined;
    throw error;
  }
}

/** Opens a session as one of a format, or of an agent, whatever it looks like. To be shown, too. */
export async function openAs(context: Context, name: string, from: string): Promise<Opened> {
  return shown(await recordedAs(context, name, from));
}

async function recordedAs(context: Context, name: string, from: string): Promise<Opened> {
  const file = await fileNamed(name);
  const format = formats.find(({ id }) => id === from);
  if (format) {
    if (file === undefined) throw new BatonError("not_found", `There is no file ${name}.`, "Check the path.");
    return { source: await readFormat(format, file), path: file };
  }
  const adapters = await context.adapters();
  const adapter = adapters.find(({ id }) => id === from);
  if (!adapter) throw new BatonError("usage", `There is no format called "${from}".`, readable(adapters));
  const stored = file === undefined ? undefined : await storedAs(name, context, [adapter]);
  if (file === undefined || stored) {
    const found = stored ?? (await locate(name, context.home, [adapter]));
    return { source: await adapter.open(found.ref), path: found.ref.path, native: found };
  }
  const ref = await adapter.recognise(file);
  if (!ref) throw new BatonError("damaged", `${file} is no ${adapter.label} session.`, readable(adapters));
  return { source: await adapter.open(ref), path: file, native: { adapter, ref } };
}

async function readFormat(format: Format, file: string): Promise<Source> {
  if (!format.read)
    throw new BatonError("unsupported", `${format.label} can be written but not read.`, readable([]));
  const source = await format.read(file);
  return format.isAnonymous ? understood(source) : source;
}

function readable(adapters: readonly Adapter[]): string {
  const ids = [...formats.filter(({ read }) => read), ...adapters].map(({ id }) => id);
  return `Formats that can be read: ${ids.join(", ")}${adapters.length > 0 ? "" : ", and every agent's own"}.`;
}

/** The absolute path, when there is a file of that name. */
async function fileNamed(name: string): Promise<string | undefined> {
  const path = resolve(name);
  try {
    return (await stat(path)).isFile() ? path : undefined;
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code === "ENOENT" ||
      (error as NodeJS.ErrnoException).code === "ENOTDIR"
    )
      return undefined;
    throw error;
  }
}

async function recognised(path: string): Promise<Format | undefined> {
  for (const format of formats) if (await format.recognise?.(path)) return format;
  return undefined;
}
