// The project's own files as data, for the tests that guard its shape.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "../..");

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  path: string;
  text: string;
}

const NOT_OURS = new Set(["node_modules", ".git", "dist", "coverage", ".scratch"]);

/** Every text file of the project, or of one of its folders. */
export function files(folder = ""): SourceFile[] {
  return walk(join(ROOT, folder)).map((path) => ({
    path: relative(ROOT, path).split(sep).join(posix.sep),
    text: readFileSync(path, "utf8"),
  }));
}

export const isCode = ({ path }: SourceFile) =>
  /\.(ts|js)$/.test(path) && !/\/(?:fixtures|recorded)\//.test(path);

function walk(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    if (NOT_OURS.has(item.name) || item.isSymbolicLink()) return [];
    const path = join(folder, item.name);
    return item.isDirectory() ? walk(path) : item.isFile() ? [path] : [];
  });
}

export interface Import {
  /** As it is written. */
  specifier: string;
  /** From the project's root, for a relative one. */
  path: string | undefined;
  /** Gone when the types are stripped. */
  typeOnly: boolean;
}

const IMPORTS =
  /\b(?:import|export)\s+(type\s)?[^"';]*?\bfrom\s*["']([^"']+)["']|\bimport\s*\(?\s*["']([^"']+)["']/g;

export function importsOf({ path, text }: SourceFile): Import[] {
  return Array.from(withoutComments(text).matchAll(IMPORTS), ([, type, from, bare]) => {
    const specifier = (from ?? bare) as string;
    const isRelative = specifier.startsWith(".");
    return {
      specifier,
      path: isRelative ? posix.join(posix.dirname(path), specifier) : undefined,
      typeOnly: type !== undefined,
    };
  });
}

/** Good enough for our own code: no string in it holds a comment mark after white space. */
export function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/(^|\s)\/\/.*$/gm, "$1");
}
