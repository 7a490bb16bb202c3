// The table of file formats. Agents' own formats stand in the adapters' table; together they are what
// `convert` reads and writes. Readers load when they are used, because checking needs the schema library.
import type { Format } from "./format.ts";
import { writeMarkdown } from "./markdown.ts";
import { isUniversal, isUniversalJsonl } from "./recognise.ts";
import { writeUniversal, writeUniversalJsonl } from "./universal-write.ts";

export type { Format } from "./format.ts";

export const formats: readonly Format[] = [
  {
    id: "universal",
    label: "Universal session (JSON)",
    extension: "json",
    branches: true,
    recognise: isUniversal,
    read: async (path) => (await import("./universal-read.ts")).readUniversal(path),
    write: writeUniversal,
  },
  {
    id: "universal-jsonl",
    label: "Universal session (JSONL)",
    extension: "jsonl",
    branches: true,
    recognise: isUniversalJsonl,
    read: async (path) => (await import("./universal-lines.ts")).readUniversalJsonl(path),
    write: writeUniversalJsonl,
  },
  {
    id: "markdown",
    label: "Markdown",
    extension: "md",
    branches: false,
    write: writeMarkdown,
  },
];
