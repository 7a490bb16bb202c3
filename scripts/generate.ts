// Writes the files that are derived from the sources: `npm run generate`. A test says when one is stale.
import { writeFile } from "node:fs/promises";
import { ucfJsonSchema } from "../src/formats/ucf-schema.ts";
import { eventsJsonSchema } from "../src/session/events.ts";
import { universalJsonSchema } from "../src/session/json-schema.ts";
import { LOSSES, type Severity } from "../src/session/losses.ts";

/** Path from the project's root → content. */
export function generated(): Record<string, string> {
  return {
    "schema/universal.schema.json": `${JSON.stringify(universalJsonSchema(), null, 2)}\n`,
    "schema/events.schema.json": `${JSON.stringify(eventsJsonSchema(), null, 2)}\n`,
    "schema/ucf.schema.json": `${JSON.stringify(ucfJsonSchema(), null, 2)}\n`,
    "docs/losses.md": lossesPage(),
  };
}

const SEVERITIES: Record<Severity, string> = {
  info: "nothing a reader would miss",
  warning: "dropped or changed by policy",
  error: "content would be missing: a command that writes refuses without `--yes`",
};

function lossesPage(): string {
  const severities = Object.entries(SEVERITIES).map(([name, meaning]) => `- \`${name}\`: ${meaning}.`);
  const rows = Object.entries(LOSSES).map(
    ([kind, { severity, meaning }]) => `| \`${kind}\` | ${severity} | ${meaning} |`,
  );
  return [
    "# Losses",
    "",
    "Everything that reading, preparing or writing a session can lose or change. The list is closed: every",
    "report, every warning and every `--json` answer uses these names. Each loss says which entry or native",
    "record it concerns and adds a detail. The severity is the usual one; a report may know better.",
    "",
    ...severities,
    "",
    "| kind | severity | what happened |",
    "|---|---|---|",
    ...rows,
    "",
    "Generated from `src/session/losses.ts` by `npm run generate`.",
    "",
  ].join("\n");
}

if (import.meta.main) {
  for (const [path, content] of Object.entries(generated())) {
    await writeFile(new URL(`../${path}`, import.meta.url), content);
    console.log(path);
  }
}
