// Which folders lie elsewhere now: what the user says, and what can be seen.
import { statSync } from "node:fs";
import { isAbsolute, resolve, win32 } from "node:path";
import { BatonError } from "../session/error.ts";
import type { Move } from "../transform/remap.ts";

export const REMAP = "paths below OLD are below NEW now: OLD=NEW, may be repeated";

/**
 * A session whose own folder is not here goes on with the paths of the one it was given. Where its folder is here,
 * those paths still mean something, and only what the user names is rewritten.
 */
export function movesFor(project: string, cwd: string | undefined, named: readonly string[] = []): Move[] {
  const moves = named.map(moveOf);
  const isNamed = moves.some(([from]) => from === project);
  if (cwd === undefined || cwd === project || project === "" || isNamed || isHere(project)) return moves;
  return [...moves, [project, cwd]];
}

/** Nobody asked for it, so it is said. */
export function movesWarnings(moves: readonly Move[], named: readonly string[] = []): string[] {
  return moves
    .slice(named.length)
    .map(
      ([from, to]) => `The session's folder ${from} is not here: its paths are written as those of ${to}.`,
    );
}

/** For commander: an option that is given several times. */
export function collected(value: string, before: string[] = []): string[] {
  return [...before, value];
}

function isHere(folder: string): boolean {
  return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function moveOf(text: string): Move {
  const at = text.indexOf("=");
  const [from, to] = [text.slice(0, Math.max(0, at)), text.slice(at + 1)];
  const isPath = isAbsolute(from) || win32.isAbsolute(from);
  if (at === -1 || to === "" || !isPath)
    throw new BatonError(
      "usage",
      `--remap ${text} does not name two folders.`,
      "Write --remap OLD=NEW, with OLD as an absolute path of the session.",
    );
  return [from, /^[A-Za-z]:[\\/]/.test(to) ? to : resolve(to)];
}
