// The preview of a session as lines: its facts at once, its beginning and its end when they have been read.
import { ago, bytes, counted, cut, shortPath } from "../text.ts";
import { cutStart, type Look, linesOf } from "./cells.ts";
import type { Row } from "./filter.ts";
import type { Preview } from "./preview.ts";

interface Pane {
  width: number;
  height: number;
}

export function previewLines(row: Row, preview: Preview | undefined, pane: Pane, look: Look): string[] {
  const facts = factLines(row, preview, pane, look);
  if (!preview) return [...facts, look.colors.dim("…")];
  if (preview.failure !== undefined)
    return [...facts, ...linesOf(preview.failure, pane.width, 3).map(look.colors.yellow)];
  const room = pane.height - facts.length;
  const files = fileLines(preview, room, pane.width, look);
  return [...facts, ...texts(preview, room - files.length, pane.width, look), ...files];
}

function factLines({ session }: Row, preview: Preview | undefined, pane: Pane, look: Look): string[] {
  const { colors, home, now } = look;
  const { width } = pane;
  const line = (facts: readonly string[]) => cut(facts.filter((fact) => fact !== "").join(" · "), width);
  const times = [`changed ${ago(session.updated, now)}`, `begun ${ago(session.created, now)}`];
  const amount = [...countFacts(session.messageCount, preview), bytes(session.size)];
  const title = colors.bold(cut(session.title || session.path, width));
  const model = session.modelDisplay === "unknown" ? "" : session.modelDisplay;
  const spent = spentFacts(session);
  const problem = session.problems[0];
  const trouble = problem === undefined ? [] : [colors.yellow(cut(`! ${problem}`, width))];
  // A pane below the list has few lines, and is wide.
  if (pane.height < 14)
    return [title, colors.dim(line([session.id, model, ...amount, ...spent])), ...trouble];
  return [
    title,
    colors.dim(line([session.id, session.agent, model])),
    colors.dim(cutStart(shortPath(session.project, home), width)),
    colors.dim(line(amount)),
    colors.dim(line(times)),
    ...(spent.length > 0 ? [colors.dim(line(spent))] : []),
    ...trouble,
  ];
}

function countFacts(messages: number, preview: Preview | undefined): string[] {
  if (!preview || preview.failure !== undefined) return [counted(messages, "message")];
  const { prompts, replies, calls } = preview.counts;
  return [
    counted(prompts, "prompt"),
    counted(replies, "reply", "replies"),
    ...(calls > 0 ? [counted(calls, "tool call")] : []),
  ];
}

function spentFacts({ tokens, cost }: Row["session"]): string[] {
  const facts: string[] = [];
  if (tokens) facts.push(`${short(tokens.input)} tokens in, ${short(tokens.output)} out`);
  if (cost !== null) facts.push(`$${cost.toFixed(2)}`);
  return facts;
}

function short(count: number): string {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}

function fileLines({ files }: Preview, room: number, width: number, { colors, home }: Look): string[] {
  const shown = room < 12 ? 0 : Math.min(files.length, Math.max(1, Math.floor(room / 6)));
  if (shown === 0) return [];
  const more = files.length > shown ? `, ${files.length} in all` : "";
  return [
    "",
    colors.dim(`Files changed${more}`),
    ...files.slice(0, shown).map((path) => cutStart(shortPath(path, home), width)),
  ];
}

/** The prompt has half of the room, and what the reply leaves. */
function texts({ firstPrompt, lastReply }: Preview, room: number, width: number, look: Look): string[] {
  if (firstPrompt === "" && lastReply === "") return [look.colors.dim("Nothing was said in it.")];
  const gap = room >= 8 ? [""] : [];
  const headings = room >= 6;
  const lines = room - 2 * (gap.length + (headings ? 1 : 0));
  const prompt = linesOf(firstPrompt, width - 2, lines);
  const reply = linesOf(lastReply, width - 2, lines);
  const half = Math.ceil(lines / 2);
  const forReply = Math.min(reply.length, Math.max(lines - half, lines - prompt.length));
  const part = (name: string, mark: string, text: string, most: number) => [
    ...gap,
    ...(headings ? [look.colors.dim(name)] : []),
    ...linesOf(text, width - 2, most).map((line, at) => `${at === 0 ? mark : " "} ${line}`),
  ];
  return [
    ...(firstPrompt === ""
      ? []
      : part("First prompt", look.colors.cyan("❯"), firstPrompt, Math.max(1, lines - forReply))),
    ...(lastReply === "" ? [] : part("Last reply", look.colors.green("●"), lastReply, Math.max(1, forReply))),
  ];
}
