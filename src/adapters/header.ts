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
  extra: { title?: string; cwd?: string } = {},
) {
  let known: HeaderPatch = {};
  const links: Link[] = ref.parent ? [{ type: "parent", session: `${agent}:${ref.parent}` }] : [];
  let firstPrompt: string | undefined;
  let created: string | undefined;
  let modified: string | undefined;
  let prompts = 0;
  let replies = 0;
  const repliesSeen = new Set<string>();

  function time(timestamp: string | undefined) {
    if (!timestamp) return;
    created ??= timestamp;
    if (modified === undefined || timestamp > modified) modified = timestamp;
  }

  function countReply(turn: string | undefined) {
    if (turn === undefined) replies++;
    else if (!repliesSeen.has(turn)) {
      repliesSeen.add(turn);
      replies++;
    }
  }

  return {
    entry(entry: Entry) {
      time(entry.timestamp);
      if (entry.type === "user" && !entry.injected) {
        prompts++;
        if (firstPrompt === undefined && entry.content.trim() !== "") firstPrompt = entry.content;
      }
      if (entry.type === "assistant" || (entry.type === "tool_call" && entry.turn !== undefined))
        countReply(entry.turn);
    },
    patch(patch: HeaderPatch) {
      time(patch.timestamp);
      if (patch.link) links.push(patch.link);
      const { title, titleRank, ...rest } = patch;
      const cwd = known.cwd ?? patch.cwd;
      known = { ...known, ...rest };
      if (cwd !== undefined) known.cwd = cwd;
      if (title !== undefined && (titleRank ?? 0) >= (known.titleRank ?? 0)) {
        known.title = title;
        known.titleRank = titleRank ?? 0;
      }
    },
    finish(usages: ReadonlyMap<string, Usage>, head: string | undefined): Header {
      const mtime = new Date(ref.files[0]?.mtimeMs ?? 0).toISOString();
      const { originalId } = ref;
      const path = known.cwd ?? extra.cwd ?? "";
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
          created: created ?? mtime,
          lastModified: modified ?? mtime,
          ...totals(usages, known.cost),
          messageCount: prompts + replies,
        },
        title: (title && cleanTitle(title)) || UNTITLED,
        ...(summary && { summary: cleanSummary(summary) }),
        ...(head !== undefined && { head }),
        ...(links.length > 0 && { links }),
      };
    },
  };
}

/** Old transcripts come from Windows machines too. */
function projectName(path: string): string {
  return /^[A-Za-z]:[\\/]/.test(path) || path.startsWith("\\\\") ? win32.basename(path) : basename(path);
}

function totals(usages: ReadonlyMap<string, Usage>, recorded: number | undefined) {
  if (usages.size === 0) return recorded === undefined ? {} : { cost: recorded };
  const tokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
  let cost: number | undefined = recorded;
  for (const usage of usages.values()) {
    tokens.input += usage.input;
    tokens.output += usage.output;
    tokens.cacheRead += usage.cacheRead ?? 0;
    tokens.cacheWrite += usage.cacheWrite ?? 0;
    tokens.reasoning += usage.reasoning ?? 0;
    if (recorded === undefined && usage.cost !== undefined) cost = (cost ?? 0) + usage.cost;
  }
  return { tokens, ...(cost !== undefined && { cost }) };
}
