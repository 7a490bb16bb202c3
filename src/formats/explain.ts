// What is wrong with a file that no format and no agent knows: said as exactly as its content allows.
import { constants } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import { BatonError } from "../session/error.ts";
import { damaged } from "./check.ts";
import type { Format } from "./format.ts";
import { isLines, likeliestKind } from "./kinds.ts";
import { head } from "./recognise.ts";

/** The error to give; none when there is no more to say than that it is not a session. */
export async function explain(path: string, formats: readonly Format[]): Promise<BatonError | undefined> {
  const beginning = await head(path);
  if (beginning.trim() === "") return isEmpty(path, beginning);
  const page = pageOf(path, beginning);
  if (page !== undefined) return isPage(path, page);
  const { size } = await stat(path);
  const isDocument = /^\s*[[{]/.test(beginning) && !isLines(beginning);
  return isDocument && size <= constants.MAX_STRING_LENGTH ? wrongIn(path, formats) : undefined;
}

function isEmpty(path: string, beginning: string): BatonError {
  const problem = beginning === "" ? "is empty" : "begins with nothing but blanks";
  return damaged(`${path} ${problem}: there is no session in it.`, undefined, "`baton list` shows sessions.");
}

function pageOf(path: string, beginning: string): string | undefined {
  if (/^\s*[[{]/.test(beginning)) return undefined;
  if (/^\s*<(?:!doctype html|html)\b/i.test(beginning)) return "an HTML page";
  return /\.(?:md|markdown)$/i.test(path) || /^\s*# \S/.test(beginning) ? "Markdown" : undefined;
}

function isPage(path: string, page: string): BatonError {
  return new BatonError(
    "unsupported",
    `${path} is ${page}, which is written for people and cannot be read back as a session.`,
    "Name the session itself (`baton list`), or a file from `baton convert SESSION --to universal`, which can.",
  );
}

/** What the reader of the format that it resembles says. */
async function wrongIn(path: string, formats: readonly Format[]): Promise<BatonError | undefined> {
  const text = (await readFile(path, "utf8")).replace(/^\uFEFF/, "");
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return damaged(`${path} is not JSON: ${reason}`, error, "It may be cut off: get or write it again.");
  }
  const kind = likeliestKind(value);
  const format = formats.find(({ id }) => id === kind);
  if (!format?.read) return undefined;
  try {
    await format.read(path);
  } catch (error) {
    if (!(error instanceof BatonError)) throw error;
    const problem = error.message.replace(`${path}: `, "");
    const hint = `Mend it there, or name another format with \`baton convert --from\`; docs/formats.md describes them.`;
    return damaged(`${path} looks like ${format.label}, but ${problem}`, error, hint);
  }
  return undefined;
}
