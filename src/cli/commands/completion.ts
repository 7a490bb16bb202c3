// completion: what a shell has to run so that it completes Baton's commands, and what it asks while somebody types.
import { Argument, type Command } from "commander";
import type { Catalog } from "../../catalog/catalog.ts";
import { type Recent, recentSessions } from "../../catalog/recent.ts";
import { withCatalog } from "../catalog.ts";
import type { Run } from "../command.ts";
import { type Candidate, candidates, type Sources } from "../completion.ts";
import { type Context, newContext } from "../context.ts";
import { newOutput } from "../output.ts";
import { SCRIPTS, type Shell } from "../shells.ts";
import { cut } from "../text.ts";

const SESSIONS = 30;
const ABOUT = 60;

export function define(command: Command, run: Run): void {
  command
    .addArgument(new Argument("<shell>", "the shell you use").choices(Object.keys(SCRIPTS)))
    .addArgument(new Argument("[words...]", "what was typed so far, for the shell's own use"))
    .action((shell: Shell, words: string[]) => run((context) => completion(context, command, shell, words)));
}

async function completion(
  { output }: Context,
  command: Command,
  shell: Shell,
  words: string[],
): Promise<undefined> {
  if (words.length === 0) {
    const script = SCRIPTS[shell];
    await (output.isJson ? output.json({ shell, script }) : output.write(script));
    return;
  }
  const found = await candidates(command.parent as Command, words, sourcesFor(words));
  if (output.isJson) return output.json({ candidates: found }).then(() => undefined);
  for (const { value, about } of found) await output.write(`${value}\t${cut(about, ABOUT)}\n`);
}

function sourcesFor(words: readonly string[]): Sources {
  return {
    async agents() {
      const { places } = await import("../../adapters/places.ts");
      return places.map(({ id, label }) => ({ value: id, about: label }));
    },
    async targets() {
      const { adapters } = await import("../../adapters/index.ts");
      return adapters.flatMap(({ id, label, write }) => (write ? [{ value: id, about: label }] : []));
    },
    async runnable() {
      const { adapters } = await import("../../adapters/index.ts");
      return adapters.flatMap(({ id, label, run }) => (run ? [{ value: id, about: label }] : []));
    },
    async providers() {
      const { providersIn } = await import("../../catalog/query.ts");
      return looked(words, async (catalog) => providersIn(catalog).map((value) => ({ value, about: "" })));
    },
    async scopes() {
      const { SCOPES } = await import("../../catalog/schema.ts");
      return SCOPES.map((value) => ({ value, about: "" }));
    },
    async formats() {
      const { formats } = await import("../../formats/index.ts");
      return formats.map(({ id, label }) => ({ value: id, about: label }));
    },
    operations: () => quietly(words, operationsIn),
    models: () => quietly(words, modelsIn),
    sessions: (prefix) => looked(words, (catalog, context) => sessionsIn(catalog, context, prefix)),
    archived: (prefix) => looked(words, (catalog, context) => archivedIn(catalog, context, prefix)),
  };
}

function looked(
  words: readonly string[],
  look: (catalog: Catalog, context: Context) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  return quietly(words, (context) => {
    const silent = { ...context, output: newOutput({ quiet: true }) };
    return withCatalog(silent, { words: false, newest: SESSIONS }, (catalog) => look(catalog, context));
  });
}

/** Nothing is said to somebody in the middle of a line: what cannot be looked at is not offered. */
async function quietly(
  words: readonly string[],
  look: (context: Context) => Promise<Candidate[]>,
): Promise<Candidate[]> {
  try {
    const home = words[words.indexOf("--home") + 1];
    const isNamed = words.includes("--home") && home !== undefined;
    return await look(newContext({ ...(isNamed && { home }), quiet: true }));
  } catch {
    // A home that is not there, a catalog that somebody else is making: the shell then offers paths.
    return [];
  }
}

async function sessionsIn(catalog: Catalog, context: Context, prefix: string): Promise<Candidate[]> {
  const found = recentSessions(catalog, prefix, SESSIONS);
  return [...named(found, prefix), ...(prefix === "" ? [] : latestOf(await context.places()))];
}

async function archivedIn(catalog: Catalog, { batonHome }: Context, prefix: string): Promise<Candidate[]> {
  const { archivedSessions } = await import("../../catalog/archive/read.ts");
  const kept = new Set((await archivedSessions(batonHome)).map(({ id }) => id));
  const found = recentSessions(catalog, prefix, SESSIONS, { gone: true });
  return named(
    found.filter(({ id }) => kept.has(id)),
    prefix,
  );
}

/** The newest first, as `undo` takes them. */
async function operationsIn({ batonHome }: Context): Promise<Candidate[]> {
  const { operations } = await import("../../storage/operations.ts");
  const { operations: all } = await operations(batonHome);
  return all
    .filter(({ state }) => state === "done" || state === "undoing")
    .map(({ id, facts }) => ({ value: id, about: `${facts.kind} ${facts.agent}:${facts.originalId}` }));
}

async function modelsIn({ batonHome }: Context): Promise<Candidate[]> {
  const { knownModels } = await import("../../models/list.ts");
  const { readOverrides } = await import("../../models/overrides.ts");
  const { loadPrices } = await import("../../models/prices.ts");
  const overrides = readOverrides(batonHome);
  return knownModels(overrides, await loadPrices(overrides)).map(({ id, display }) => ({
    value: id,
    about: display,
  }));
}

/** By the agent's own id where that is being typed. */
function named(found: readonly Recent[], prefix: string): Candidate[] {
  return found.map(({ id, agent, originalId, title }) => ({
    value: prefix.includes(":") ? `${agent}:${originalId}` : id,
    about: `${agent}: ${title}`,
  }));
}

function latestOf(places: readonly { id: string; label: string }[]): Candidate[] {
  return [
    { value: "latest", about: "the newest session" },
    ...places.map(({ id, label }) => ({ value: `latest:${id}`, about: `the newest of ${label}` })),
  ];
}
