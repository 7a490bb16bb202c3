// What the doctor says of the stores besides what it finds everywhere.
import { existsSync } from "node:fs";
import type { Home } from "../adapter.ts";
import { databasePath } from "./paths.ts";
import { isProvenSchema, PROVEN_VERSIONS } from "./store.ts";

export async function remarks(home: Home, version?: string): Promise<readonly string[]> {
  const path = databasePath(home);
  if (version === undefined || !existsSync(path) || isProvenSchema(path, version)) return [];
  const why = PROVEN_VERSIONS.includes(version)
    ? `its tables are not those that were proven with ${version}`
    : `rows are put into the database with ${PROVEN_VERSIONS.join(", ")} only`;
  return [`sessions are written by \`opencode import\`, and those that are there are not extended: ${why}`];
}
