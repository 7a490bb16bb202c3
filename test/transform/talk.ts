// Builds the talk and the work of a session for tests, in words that matter.
import type { Entry } from "../../src/session/session.ts";
import { assistant, call, result, user } from "../session/build.ts";

export const says = (content: string, fields: object = {}): Entry =>
  ({ ...user("u"), content, ...fields }) as Entry;
export const replies = (content: string, fields: object = {}): Entry =>
  ({ ...assistant("a"), content, ...fields }) as Entry;
let calls = 0;

/** A call and its result. */
export function does(tool: string, input: object, fields: object = {}): Entry[] {
  const id = `c${++calls}`;
  return [{ ...call(id), tool, input } as Entry, { ...result(id), ...fields } as Entry];
}

export const runs = (command: string, fields: object = {}) => does("bash", { command }, fields);
