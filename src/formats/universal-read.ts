// Reads the universal session from one JSON object, which is held in memory. A universal file is a border:
// all of it is checked, and what is wrong is an error that names the place.
import { constants } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { BatonError } from "../session/error.ts";
import { type Migrated, type Migration, migrate } from "../session/migrate.ts";
import { sessionSchema } from "../session/schema.ts";
import { type Source, sourceOf } from "../session/source.ts";
import { check, damaged, isObject, type Json } from "./check.ts";

type Migrations = Readonly<Record<string, Migration>>;

export async function readUniversal(path: string, migrations?: Migrations): Promise<Source> {
  const { size } = await stat(path);
  if (size > constants.MAX_STRING_LENGTH)
    throw new BatonError(
      "unsupported",
      `${path} has ${Math.round(size / 1e6)} MB, more than can be read as one JSON document.`,
      "Write it as universal-jsonl, which is read piece by piece.",
    );
  const session: unknown = migrated(parse(await readFile(path, "utf8"), path), path, migrations);
  check(sessionSchema, session, path);
  return sourceOf(session);
}

function parse(text: string, path: string): Json {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (error) {
    throw damaged(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`, error);
  }
  if (isObject(value)) return value;
  throw damaged(`${path} is no universal session: it is not an object.`);
}

function migrated(document: Json, where: string, migrations: Migrations | undefined): Json {
  const { timeline, children, ...header } = document;
  const migration = migrate(header.version, where, migrations);
  return {
    ...migration.header(header),
    timeline: Array.isArray(timeline) ? timeline.map((entry) => entryOf(entry, migration)) : timeline,
    ...(children !== undefined && { children: migratedChildren(children, where, migrations) }),
  };
}

function migratedChildren(children: unknown, where: string, migrations: Migrations | undefined): unknown {
  if (!Array.isArray(children)) return children;
  return children.map((child: unknown, at) =>
    isObject(child) ? migrated(child, `${where}: children[${at}]`, migrations) : child,
  );
}

function entryOf(value: unknown, migration: Migrated): unknown {
  return isObject(value) ? migration.entry(value) : value;
}
