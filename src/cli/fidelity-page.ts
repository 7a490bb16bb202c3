// The page that shows the fidelity of all pairs: docs/fidelity.md.
import { LOSSES, type LossName } from "../session/losses.ts";
import type { Fact } from "../verify/facts.ts";
import type { Fidelity, Pair } from "./fidelity.ts";

export function fidelityPage({ date, versions, pairs }: Fidelity): string {
  const agents = Object.keys(versions);
  const pairOf = (from: string, to: string) => pairs.find((pair) => pair.from === from && pair.to === to);
  return `${[
    "# Fidelity",
    "",
    "Made by `baton fidelity --write docs/fidelity.md`; do not edit it. A rich session of every agent, recorded by its",
    "real CLI (`samples/`), is carried into every agent, whose real CLI then resumes it twice against a model on",
    "loopback. A fact is a text, a tool call with its arguments, a result, an image, a document or a block of thinking",
    "that the model saw in the first agent. It is kept when the second one tells it its model in the right block, role",
    "and order; a call that lacks an argument is changed, unless that only said in words what the others do (an",
    "edit's `instruction`, which a patch has no room for).",
    "",
    `Measured on ${date} with:`,
    "",
    ...table(
      ["agent", "version of the CLI"],
      agents.map((agent) => [agent, versions[agent] ?? ""]),
    ),
    "",
    "## Facts kept",
    "",
    ...table(
      ["from \\ to", ...agents],
      agents.map((from) => [from, ...agents.map((to) => shareOf(pairOf(from, to)))]),
    ),
    "",
    "## By kind of fact",
    "",
    ...table(
      ["from", "to", "total", "kept", "changed", "lost", ...TYPES.map((type) => NAMES[type])],
      pairs.map((pair) => [
        pair.from,
        pair.to,
        ...[pair.total, pair.kept, pair.changed, pair.lost].map(String),
        ...TYPES.map((type) => shareOf(pair.types[type])),
      ]),
    ),
    "",
    "## What is not kept, and why",
    "",
    ...pairs.flatMap(whyOf),
  ]
    .join("\n")
    .trimEnd()}\n`;
}

const TYPES = ["text", "call", "result", "image", "document", "thinking"] as const;
const NAMES: Record<Fact["type"], string> = {
  text: "texts",
  call: "calls",
  result: "results",
  image: "images",
  document: "documents",
  thinking: "thinking",
};

function shareOf(counts: { total: number; kept: number } | undefined): string {
  return counts ? `${counts.kept} / ${counts.total}` : "-";
}

function table(headings: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [headings, headings.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
}

function whyOf({ from, to, missing, losses, proven }: Pair): string[] {
  const facts = Map.groupBy(missing, ({ named }) => named ?? ("" as const));
  const lines = Array.from(facts, ([kind, found]) => `- ${counted(found)}: ${reasonOf(kind)}`);
  const others = losses.filter(({ kind }) => !facts.has(kind));
  return [
    `### ${from} to ${to}`,
    "",
    ...(proven ? [] : ["**Not proven.**", ""]),
    ...(lines.length === 0 ? ["- Every fact is kept."] : lines),
    ...(others.length === 0
      ? []
      : [
          `- Also in the loss report: ${others.map(({ kind, count }) => `\`${kind}\` (${count})`).join(", ")}.`,
        ]),
    "",
  ];
}

function counted(found: readonly { type: Fact["type"] | "other" }[]): string {
  const types = Map.groupBy(found, ({ type }) => type);
  return Array.from(types, ([type, { length }]) => `${length} ${type}`).join(", ");
}

function reasonOf(kind: LossName | ""): string {
  return kind === "" ? "NOT in the loss report." : `\`${kind}\`. ${LOSSES[kind].meaning}`;
}
