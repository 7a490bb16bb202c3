// The hits of a search as lines: sessions with what was found in them, the words marked.
import type { Place } from "../adapters/adapter.ts";
import type { Hit } from "../catalog/search/hit.ts";
import { badge } from "./badge.ts";
import type { Output } from "./output.ts";
import { ago, cut, padded, shortPath, widthOf } from "./text.ts";

type Look = Pick<Output, "colors" | "width">;

const INDENT = "  ";
/** As wide as the longest name of a scope. */
const LABEL = 13;
const NARROWEST = 20;

/** Columns that are left for a snippet. */
export function snippetWidth(width: number): number {
  return Math.max(NARROWEST, width - INDENT.length - LABEL);
}

export function* hitLines(
  hits: readonly Hit[],
  places: readonly Place[],
  look: Look,
  home: string,
): Generator<string> {
  const sessions = Map.groupBy(hits, ({ agent, session }) => `${agent}:${session}`);
  let isFirst = true;
  for (const found of sessions.values()) {
    const [first] = found;
    if (!first) continue;
    if (!isFirst) yield "";
    isFirst = false;
    yield heading(first, places, look, home);
    for (const hit of found) yield hitLine(hit, look);
  }
}

function heading(hit: Hit, places: readonly Place[], { colors, width }: Look, home: string): string {
  const facts = [
    hit.gone ? "its file is gone" : "",
    cut(shortPath(hit.project, home), Math.floor(width / 3)),
    ago(hit.updated),
    hit.session,
  ];
  const tail = facts.filter(Boolean).join(" · ");
  const title = cut(
    hit.title || "Untitled conversation",
    Math.max(NARROWEST, width - hit.agent.length - widthOf(tail) - 4),
  );
  return `${badge(hit.agent, places, colors)}  ${colors.bold(title)}  ${colors.dim(tail)}`;
}

function hitLine(hit: Hit, { colors, width }: Look): string {
  const label = hit.hidden ? `${hit.scope}*` : hit.scope;
  const text =
    hit.problem === undefined
      ? marked(hit, width, colors)
      : colors.dim(cut(hit.problem, snippetWidth(width)));
  return `${INDENT}${colors.cyan(padded(label, LABEL))}${text}`.trimEnd();
}

/** Without colours the words stand between signs of their own. */
function marked({ snippet, marks }: Hit, width: number, colors: Look["colors"]): string {
  const [open, close] = colors.isColorSupported ? ["", ""] : ["«", "»"];
  const signs = marks.length * (open.length + close.length);
  const line = cut(snippet, snippetWidth(width) - signs);
  let text = "";
  let from = 0;
  for (const [start, end] of marks) {
    if (start >= line.length) break;
    text += `${line.slice(from, start)}${open}${colors.bold(colors.red(line.slice(start, end)))}${close}`;
    from = end;
  }
  return text + line.slice(from);
}
