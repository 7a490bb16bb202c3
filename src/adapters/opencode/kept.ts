// A session as the archive keeps it, and how a deleted one comes back: its rows, under the ids that they had.
import { BatonError } from "../../session/error.ts";
import type { Change } from "../../storage/changes.ts";
import { START } from "../../storage/position.ts";
import type { NativeRecord } from "../../storage/records.ts";
import { storedLine } from "../../storage/rows.ts";
import type { Home, Keepsakes, Kept, SessionRef, Target, WrittenRecord } from "../adapter.ts";
import { generationOf, readDatabase, reading } from "./database.ts";
import { isObject, lineOf, word } from "./native.ts";
import { databasePath } from "./paths.ts";
import { plan } from "./plan.ts";
import { isProvenSchema, PROVEN_VERSIONS } from "./store.ts";
import { readTree } from "./tree.ts";

/** By the name, because this is asked of every session each time. */
export function lines({ path, originalId }: SessionRef): AsyncIterable<readonly NativeRecord[]> | undefined {
  const options = { from: START, raw: true };
  if (/\.db$/.test(path)) return readDatabase(path, originalId, options);
  return /[\\/]session[\\/][^\\/]+[\\/][^\\/]+\.json$/.test(path) ? readTree(path, options) : undefined;
}

/** The row of its project, without which there is no session. */
export async function keepsakes({ path, originalId }: SessionRef): Promise<Keepsakes> {
  if (!/\.db$/.test(path)) return { files: [], facts: {} };
  return reading(path, (database): Keepsakes => {
    if (generationOf(database) !== "rows") return { files: [], facts: {} };
    const project = database
      .prepare("SELECT * FROM project WHERE id = (SELECT project_id FROM session WHERE id = ?)")
      .get(originalId);
    return { files: [], facts: project ? { project: JSON.stringify(project) } : {} };
  });
}

export async function* restore(kept: Kept, home: Home): AsyncGenerator<Change> {
  const { ref, cli, now } = kept;
  const path = databasePath(home);
  if (ref.path !== path) throw notToday(ref.path);
  const version = cli?.version ?? PROVEN_VERSIONS.at(-1) ?? "";
  const target: Target = {
    home,
    originalId: ref.originalId,
    cwd: await folderOf(kept),
    version,
    now,
    configuration: { mcpServers: [] },
    ...(cli && { cli: cli.path }),
  };
  yield* plan(records(kept, isProvenSchema(path, version)), target);
}

/** A subagent's rows are a file of their own beside its parent's. */
async function* records(kept: Kept, isDirect: boolean): AsyncGenerator<WrittenRecord> {
  const file = kept.ref.parent === undefined ? "main" : kept.ref.originalId;
  const record = (bytes: string): WrittenRecord => ({ type: "record", file, bytes, says: [] });
  const { project } = kept.facts;
  if (project !== undefined && isDirect) yield record(`{"table":"project","row":${project},"ensure":true}\n`);
  for await (const line of linesOf(kept))
    yield record(`${isDirect || !line.startsWith('{"table":"session"') ? line : withoutTasks(line)}\n`);
}

/** The CLI's own import does not take the list of tasks. */
function withoutTasks(line: string): string {
  const { rows: _, ...session } = storedLine(line);
  return JSON.stringify(session);
}

async function* linesOf({ ref, bytes }: Kept): AsyncGenerator<string> {
  const [file] = ref.files;
  let rest = "";
  const decoder = new TextDecoder();
  if (file)
    for await (const piece of bytes(file)) {
      const found = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = found.pop() ?? "";
      yield* found;
    }
  if (rest !== "") yield rest;
}

async function folderOf(kept: Kept): Promise<string> {
  for await (const line of linesOf(kept)) {
    const session = lineOf(JSON.parse(line));
    return (isObject(session?.row) && word(session.row.directory)) || "";
  }
  return "";
}

function notToday(path: string): BatonError {
  return new BatonError(
    "unsupported",
    `${path} is of an older OpenCode, of another channel's or of another home, and today's does not look into it.`,
    "`baton show` shows the session, `baton resume --in opencode` goes on with it in a new one.",
  );
}
