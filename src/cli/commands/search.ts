// search: everything that was ever said, in every agent.
import { resolve } from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { adapterNamed } from "../../adapters/named.ts";
import { hereIn, storesIn } from "../../catalog/here.ts";
import { SCOPES, type Scope } from "../../catalog/schema.ts";
import { parseQuery } from "../../catalog/search/query.ts";
import { type SearchResult, search } from "../../catalog/search/search.ts";
import { BatonError } from "../../session/error.ts";
import { withCatalog } from "../catalog.ts";
import type { Run } from "../command.ts";
import type { Context } from "../context.ts";
import { hitLines, snippetWidth } from "../hits.ts";
import { redaction } from "../redaction.ts";
import { countOf, folderOf, namesOf, sinceOf } from "../values.ts";

interface Options {
  scope?: Scope[];
  agent?: string[];
  project?: string;
  since?: Date;
  limit: number;
  offset?: number;
}

const SHOWN = 20;

export function define(command: Command, run: Run): void {
  command
    .argument(
      "<query...>",
      'words, "phrases", beginnings*, -without, one OR other, agent:NAME, file:app.ts …',
    )
    .option("--scope <scopes>", `only in these, with commas: ${SCOPES.join(", ")}`, scopesOf)
    .option("--agent <agents>", "only sessions of these agents, with commas", namesOf)
    .option("--project <dir>", "only sessions in this folder or below", folderOf)
    .option("--since <time>", "only sessions changed since: a date, or 30m, 12h, 3d, 2w ago", sinceOf)
    .option("--limit <count>", "at most this many hits", countOf, SHOWN)
    .option("--offset <count>", "leave out the first ones", countOf)
    // A word with a dash before it is one to leave out.
    .allowUnknownOption()
    .action((words: string[], options: Options, { parent }: Command) =>
      run((context) =>
        find(context, queryOf(words, (parent as { rawArgs?: string[] } | null)?.rawArgs), options),
      ),
    );
}

/** What looks like an option and is none was mistyped, unless it is said that no options follow. */
function queryOf(words: readonly string[], argv: readonly string[] = []): string {
  const option = words.find((word) => /^--\w/.test(word));
  if (option !== undefined && !argv.includes("--"))
    throw new BatonError(
      "usage",
      `Unknown option '${option}'.`,
      `To look for it: \`baton search -- ${words.join(" ")}\``,
    );
  return words.join(" ");
}

async function find(context: Context, text: string, options: Options): Promise<undefined> {
  const { output, home } = context;
  const places = await context.places();
  const { agent, project, scope, since, limit, offset } = options;
  for (const name of agent ?? []) adapterNamed(name, places);
  const query = parseQuery(text, { agents: places.map(({ id }) => id) });
  const redactor = redaction();
  await withCatalog(context, { words: true }, async (catalog) => {
    const start = performance.now();
    const result = await search(catalog, query, loadReaders, {
      limit,
      isHere: hereIn(storesIn(home, places)),
      ...(offset !== undefined && { offset }),
      ...(scope && { scopes: scope }),
      ...(agent && { agents: agent }),
      ...(project !== undefined && { project: resolve(project) }),
      ...(since && { since }),
      ...(!output.isJson && { width: snippetWidth(output.width) }),
      ...(redactor && { shown: redactor.text }),
    });
    const ms = Math.round((performance.now() - start) * 10) / 10;
    if (output.isJson) return output.json({ ...result, ms });
    for (const line of hitLines(result.hits, places, output, home.dir)) await output.write(`${line}\n`);
    for (const line of remarks(result)) output.message(line);
  });
}

const loadReaders = async () => (await import("../../adapters/readers.ts")).readers;

function* remarks({ hits, total, isMinimum, expanded }: SearchResult): Generator<string> {
  if (expanded.length > 0)
    yield `No text has ${expanded.map((word) => `"${word}"`).join(", ")} as a word: these are parts of words.`;
  if (hits.some(({ hidden }) => hidden))
    yield "* was taken back or compacted away: its model does not see it any more.";
  if (total === 0) yield "No match.";
  else if (hits.length < total || isMinimum)
    yield `${hits.length} of ${isMinimum ? "at least " : ""}${total} matches. --limit and --offset show others.`;
}

function scopesOf(text: string, before: Scope[] = []): Scope[] {
  const scopes = namesOf(text).map((name) => SCOPES.find((scope) => scope === name));
  if (scopes.includes(undefined)) throw new InvalidArgumentError(`Give some of ${SCOPES.join(", ")}.`);
  return [...before, ...scopes.filter((scope) => scope !== undefined)];
}
