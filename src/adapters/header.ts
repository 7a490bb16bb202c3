// Gathers the facts of a session as a whole while its records go by: title, project, model, times, counts.
import { basename, win32 } from "node:path";
import { sessionId } from "../session/id.ts";
import type { Entry, Header, Link, Usage } from "../session/session.ts";
import type { HeaderPatch } from "../session/source.ts";
import { cleanSummary, cleanTitle, UNTITLED } from "../session/title.ts";
import type { SessionRef } from "./adapter.ts";

export function headerBuilder(
  agent: string,
  ref: SessionRef,
  provider: string,
  extra: { title?: string; cwd?: string; project?: string } = {},
  begun?: HeaderState,
) {
  const facts: Facts = begun?.facts ?? { known: {}, messageCount: 0, links: [] };
  if (ref.parent && !begun) facts.links.push({ type: "parent", session: `${agent}:${ref.parent}` });
  const repliesSeen = new Set<string>(begun?.replies);

  function countReply(turn: string | undefined) {
    if (turn !== undefined && repliesSeen.has(turn)) return;
    if (turn !== undefined) repliesSeen.add(turn);
    facts.messageCount++;
  }

  return {
    entry(entry: Entry) {
      noteTime(facts, entry.timestamp);
      if (entry.type === "user" && !entry.injected) {
        facts.messageCount++;
        if (facts.firstPrompt === undefined && entry.content.trim() !== "")
          facts.firstPrompt = entry.content.slice(0, LONGEST_PROMPT);
      }
      // What an agent filled in by itself is no reply.
      const replied = entry.type === "assistant" && !entry.injected;
      if (replied || (entry.type === "tool_call" && entry.turn !== undefined)) countReply(entry.turn);
    },
    patch(patch: HeaderPatch) {
      noteTime(facts, patch.timestamp);
      if (patch.link) facts.links.push(patch.link);
      facts.known = patched(facts.known, patch);
    },
    /** What it takes to go on later. A reply that comes again long after it was given counts twice then. */
    state: (): HeaderState => ({ facts, replies: [...repliesSeen].slice(-REPLIES) }),
    finish(usages: ReadonlyMap<string, Usage>, head: string | undefined): Header {
      const { known, firstPrompt, links } = facts;
      const mtime = new Date(ref.files[0]?.mtimeMs ?? 0).toISOString();
      const { originalId } = ref;
      const path = extra.project ?? known.cwd ?? extra.cwd ?? "";
      const title = extra.title ?? known.title ?? known.summary ?? firstPrompt;
      const summary = known.summary ?? firstPrompt;
      return {
        id: sessionId(agent, originalId),
        version: "1.0",
        source: { cli: agent, originalId, ...(known.cliVersion && { version: known.cliVersion }) },
        project: { path, name: projectName(path), ...(known.git && { git: known.git }) },
        model: {
          provider: known.provider ?? provider,
          model: known.model ?? "unknown",
          ...(known.config && { config: known.config }),
        },
        metadata: {
          created: facts.created ?? mtime,
          lastModified: facts.modified ?? mtime,
          ...totals(usages, known.cost),
          messageCount: facts.messageCount,
        },
        title: (title && cleanTitle(title)) || UNTITLED,
        ...(summary && { summary: cleanSummary(summary) }),
        ...(head !== undefined && { head }),
        ...(links.length > 0 && { links }),
      };
    },
  };
}

const REPLIES = 200;
/** More than any title or summary shows, white space that is folded included. */
const LONGEST_PROMPT = 4000;

/** Plain JSON. */
export interface HeaderState {
  facts: Facts;
  replies: string[];
}

/** What was gathered so far. */
interface Facts {
  known: HeaderPatch;
  links: Link[];
  firstPrompt?: string;
  created?: string;
  modified?: string;
  messageCount: number;
}

function noteTime(facts: Facts, timestamp: string | undefined): void {
  if (!timestamp) return;
  facts.created ??= timestamp;
  if (facts.modified === undefined || timestamp > facts.modified) facts.modified = timestamp;
}

/** The last one to name a field wins, but the first working directory and the highest title stay. */
function patched(known: HeaderPatch, patch: HeaderPatch): HeaderPatch {
  const { title, titleRank, ...rest } = patch;
  const cwd = known.cwd ?? patch.cwd;
  const result: HeaderPatch = { ...known, ...rest };
  if (cwd !== undefined) result.cwd = cwd;
  if (title !== undefined && (titleRank ?? 0) >= (known.titleRank ?? 0)) {
    result.title = title;
    result.titleRank = titleRank ?? 0;
  }
  return result;
}

/** Old transcripts come from Windows machines too. */
export function projectName(path: string): string {
  return /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\") ? win32.basename(path) : basename(path);
}

/** What a store says of tokens may be damaged: no number, less than none, or more than can be. */
export function wholeCount(count: number | undefined): number {
  return Number.isSafeInteger(count) && (count as number) > 0 ? (count as number) : 0;
}

function totals(usages: ReadonlyMap<string, Usage>, recorded: number | undefined) {
  if (usages.size === 0) return recorded === undefined ? {} : { cost: recorded };
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  let cost: number | undefined = recorded;
  for (const usage of usages.values()) {
    tokens.input += wholeCount(usage.input);
    tokens.output += wholeCount(usage.output);
    tokens.cacheRead += wholeCount(usage.cacheRead);
    tokens.cacheWrite += wholeCount(usage.cacheWrite);
    tokens.reasoning += wholeCount(usage.reasoning);
    if (recorded === undefined && usage.cost !== undefined) cost = (cost ?? 0) + usage.cost;
  }
  return { tokens, ...(cost !== undefined && { cost }) };
}
