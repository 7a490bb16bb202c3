// Puts a session into the private home in which the real CLI is to resume it: as a copy, or carried.
import { join } from "node:path";
import type { Adapter, Home, SessionRef } from "../adapters/adapter.ts";
import type { Entry } from "../session/session.ts";
import type { Source, Stream } from "../session/source.ts";
import { carry } from "../switch/carry.ts";
import { prepare } from "../switch/prepare.ts";
import { visible } from "../transform/visible.ts";
import { copyBundle, hiddenTexts } from "../verify/copy.ts";
import type { Arranged } from "../verify/verify.ts";

export async function copied(
  ref: SessionRef,
  adapter: Adapter,
  from: Home,
  to: Pick<Into, "home" | "cwd">,
): Promise<Arranged> {
  const copy = await copyBundle(adapter, ref, from, to.home, to.cwd);
  const source = await adapter.open(copy);
  return {
    originalId: copy.originalId,
    expected: seen(source, adapter),
    hidden: await hiddenTexts(source),
    losses: source.losses,
    isCopy: true,
  };
}

export interface Into {
  to: Adapter;
  home: Home;
  cwd: string;
  cli: { version: string; path: string };
}

/** What the policy leaves out, such as thinking, is not expected to arrive. */
export async function carriedInto(source: Source, into: Into): Promise<Arranged> {
  const arranged = await carriedWhole(source, into);
  return { ...arranged, expected: prepare(visible(source), { thinking: "drop" }) };
}

/** Everything that the model saw is expected to arrive, and what does not is to be in the loss report. */
export async function carriedWhole(
  source: Source,
  { to, home, cwd, cli }: Into,
  from?: Pick<Adapter, "holds">,
): Promise<Arranged> {
  const batonHome = join(home.dir, ".baton");
  const kind = "resume";
  const carried = await carry({ source, to, home, batonHome, cwd, kind, yes: true, installed: cli });
  return {
    originalId: carried.originalId,
    expected: seen(source, from),
    hidden: await hiddenTexts(source),
    losses: carried.losses,
    ...(source.header.source.cli === to.id && { isCopy: true }),
  };
}

/** What its own CLI tells the model when it resumes the session: not every one sends the thinking that it shows. */
export function seen(source: Source, from?: Pick<Adapter, "holds">): Stream {
  const stream = visible(source);
  if (!from || from.holds.thinking === "signed") return stream;
  return {
    ...stream,
    get losses() {
      return stream.losses;
    },
    async *entries() {
      for await (const entry of stream.entries()) yield withoutThinking(entry);
    },
  };
}

function withoutThinking(entry: Entry): Entry {
  if (entry.type !== "assistant") return entry;
  const { thinking: _, parts, ...rest } = entry;
  return { ...rest, ...(parts && { parts: parts.filter(({ type }) => type !== "thinking") }) };
}
