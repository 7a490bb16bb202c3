// completion: what a shell has to run so that it completes Baton's commands, and what it asks while somebody types.
import { Argument, type Command } from "commander";
import { recentSessions } from "../../catalog/recent.ts";
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
    async formats() {
      const { formats } = await import("../../formats/index.ts");
      return formats.map(({ id, label }) => ({ value: id, about: label }));
    },
    sessions: (prefix) => sessionsIn(words, prefix),
  };
}

/** Nothing is said to somebody in the middle of a line: what cannot be looked at is not offered. */
async function sessionsIn(words: readonly string[], prefix: string): Promise<Candidate[]> {
  try {
    const home = words[words.indexOf("--home") + 1];
    const context = newContext({
      ...(words.includes("--home") && home !== undefined && { home }),
      quiet: true,
    });
    const silent = { ...context, output: newOutput({ quiet: true }) };
    const found = await withCatalog(silent, { words: false, newest: SESSIONS }, (catalog) =>
      recentSessions(catalog, prefix, SESSIONS),
    );
    const isOwn = prefix.includes(":");
    const named = found.map(({ id, agent, originalId, title }) => ({
      value: isOwn ? `${agent}:${originalId}` : id,
      about: `${agent}: ${title}`,
    }));
    return [...named, ...(prefix === "" ? [] : latestOf(await context.places()))];
  } catch {
    // A home that is not there, a catalog that somebody else is making: the shell then offers paths.
    return [];
  }
}

function latestOf(places: readonly { id: string; label: string }[]): Candidate[] {
  return [
    { value: "latest", about: "the newest session" },
    ...places.map(({ id, label }) => ({ value: `latest:${id}`, about: `the newest of ${label}` })),
  ];
}
