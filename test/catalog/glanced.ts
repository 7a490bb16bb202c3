// A session as the catalog would store it, read at a glance or by the fold.
import { expect } from "vitest";
import type { SessionRef } from "../../src/adapters/adapter.ts";
import { readers } from "../../src/adapters/readers.ts";
import type { Cursor } from "../../src/catalog/index/pass.ts";
import { readSession } from "../../src/catalog/index/read.ts";

export function readerOf({ agent }: Pick<SessionRef, "agent">) {
  const found = readers.find(({ id }) => id === agent);
  if (!found) throw new Error(`there is no reader of ${agent}`);
  return found;
}

export async function expectSame(ref: SessionRef, words: boolean): Promise<void> {
  expect(await readOnce(ref, words, true)).toEqual(await readOnce(ref, words, false));
}

/** All that is stored of a session. */
export async function readOnce(ref: SessionRef, words: boolean, isGlance: boolean): Promise<unknown> {
  const put = (text: string) => Buffer.from(text);
  const pieces = await Array.fromAsync(readSession(readerOf(ref), ref, { words, isGlance, put })).catch(
    String,
  );
  if (typeof pieces === "string") return pieces;
  return pieces.map(({ docs, usages, cursor, end }) => ({
    docs: docs.map(({ text, ...doc }) => ({ ...doc, text: text.toString() })),
    usages,
    // For a list none comes of a glance.
    cursor: words ? cursor && comparable(cursor) : undefined,
    end: end && {
      title: end.header.title,
      summary: end.header.summary,
      project: end.header.project.path,
      model: end.header.model.model,
      provider: end.header.model.provider,
      created: end.header.metadata.created,
      messages: end.header.metadata.messageCount,
      tokens: end.header.metadata.tokens,
      cost: end.header.metadata.cost,
      links: end.header.links,
      ...{ problems: end.problems, costPlace: end.costPlace, isWhole: end.isWhole },
      hidden: words ? end.hidden : undefined,
    },
  }));
}

/** How calls ended that have no result yet is nothing that the catalog tells. */
function comparable({ state, ...cursor }: Cursor): unknown {
  const { facts: _, ...rest } = state as Record<string, unknown>;
  return JSON.parse(JSON.stringify({ ...cursor, state: rest }));
}
