// What was lost or changed, told to a person: the serious ones in a line each, the rest as a count.
import type { Loss, Severity } from "../session/losses.ts";
import { LOSSES } from "../session/losses.ts";
import type { Output } from "./output.ts";
import { counted, cut, harmless } from "./text.ts";

const LISTED = 10;

export function tellLosses(losses: readonly Loss[], output: Output): void {
  const serious = sentences(losses);
  for (const sentence of serious.slice(0, LISTED)) output.warn(cut(sentence, 200));
  if (serious.length > LISTED) output.warn(`… and ${serious.length - LISTED} more kinds.`);
  const minor = losses.filter(({ severity }) => severity === "info").length;
  if (minor > 0) output.detail(`${counted(minor, "minor note")}:`);
  for (const { kind, detail } of losses.filter(({ severity }) => severity === "info").slice(0, LISTED))
    output.detail(`  ${kind}: ${harmless(detail)}`);
}

/** Everything that is not a minor note, in a sentence for each kind. */
export function sentences(losses: readonly Loss[]): string[] {
  return byKind(losses.filter(({ severity }) => severity !== "info"));
}

/** The minor notes alone. */
export function minorNotes(losses: readonly Loss[]): string[] {
  return byKind(losses.filter(({ severity }) => severity === "info"));
}

function byKind(losses: readonly Loss[]): string[] {
  const kinds = Map.groupBy(losses, ({ kind }) => kind);
  return [...kinds.values()]
    .toSorted((a, b) => RANK[worst(a)] - RANK[worst(b)])
    .map((group) => sentence(group));
}

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

function worst(group: readonly Loss[]): Severity {
  return group.some(({ severity }) => severity === "error") ? "error" : "warning";
}

function sentence(group: readonly Loss[]): string {
  const [first] = group as [Loss];
  const times = group.length === 1 ? "" : ` (${group.length} times)`;
  return `${LOSSES[first.kind].meaning.replace(/\.$/, "")}${times}: ${harmless(first.detail)}`;
}
