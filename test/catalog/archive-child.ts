// Archives the sessions of a home, and says so at every step: for tests that end it, or run two of them at once.
import { adapters } from "../../src/adapters/index.ts";
import { archiveSessions } from "../../src/catalog/archive/archive.ts";
import { walk } from "../../src/catalog/scan.ts";

const [dir = ""] = process.argv.slice(2);
const home = { dir, env: {}, projects: [] };
const result = await archiveSessions(`${dir}/.baton`, walk(home, adapters), {
  onProgress: ({ sessions }) => process.stdout.write(`${sessions}\n`),
  patience: 60_000,
});
process.stdout.write(`${JSON.stringify(result)}\n`);
