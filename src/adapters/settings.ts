// The files in which a user has set an agent up. One that cannot be read says nothing, and is remembered: what the agent
// has is then not known.
import { readFileSync } from "node:fs";
import { isObject, type Json } from "./json.ts";

export interface SettingsFiles {
  /** What the file says; nothing where it is not there, is empty or cannot be read. */
  read(path: string): Json;
  /** Those that are there and could not be read. */
  damaged: readonly string[];
}

export function settingsFiles(parse: (source: string) => unknown): SettingsFiles {
  const damaged = new Set<string>();
  const read = (path: string): Json => {
    try {
      const source = readFileSync(path, "utf8");
      const value = source.trim() === "" ? {} : parse(source);
      if (isObject(value)) return value;
      damaged.add(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOENT" && code !== "ENOTDIR") damaged.add(path);
    }
    return {};
  };
  return {
    read,
    get damaged() {
      return [...damaged];
    },
  };
}

/** JSON with comments. */
export function parseCommented(source: string): unknown {
  return JSON.parse(outsideStrings(source, COMMENTS));
}

/** The same where a comma may follow the last of a list, too. */
export function parseRelaxed(source: string): unknown {
  return JSON.parse(outsideStrings(outsideStrings(source, COMMENTS), LAST_COMMAS));
}

const COMMENTS = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
const LAST_COMMAS = /("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g;

function outsideStrings(source: string, what: RegExp): string {
  return source.replace(what, (_, quoted: string | undefined) => quoted ?? "");
}
