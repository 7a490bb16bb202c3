// What a request holds beyond the facts. A CLI adds context of its own in the user's role; apart from a few
// known fillers it never makes up what the model said or a tool returned, so anything there that no fact
// accounts for is a stranger.
import { type Asked, type Item, remainder } from "./asked.ts";
import type { CompareOptions, Finding } from "./compare.ts";
import { type Fact, shorten } from "./facts.ts";

/** Shorter texts turn up by chance. */
const TELLING = 16;
const LONG = 40;
/** Enough of a text to recognise it by. */
const PROBE = 200;

export function strangers(
  wire: Asked,
  facts: readonly Fact[],
  options: Pick<CompareOptions, "hidden" | "fillers">,
): { unexpected: Finding[]; injected: string[] } {
  const fillers = options.fillers ?? [];
  const probes = tellingOf(options.hidden ?? [], facts);
  const said = userTexts(facts);
  const unexpected: Finding[] = [];
  const injected: string[] = [];
  for (const item of wire.items) {
    const isFiller = item.role === "assistant" && fillers.includes(remainder(item));
    const found = isFiller ? undefined : judge(item, probes, said);
    if (found) unexpected.push({ ...found, excerpt: shorten(found.excerpt) });
    else if (item.block.type === "text" && item.role !== "system" && remainder(item) !== "")
      injected.push(remainder(item));
  }
  return { unexpected, injected };
}

function judge(item: Item, probes: readonly string[], said: readonly string[]): Finding | undefined {
  const { block, used } = item;
  const rest = remainder(item);
  const leaked = probes.find((probe) => rest.includes(probe));
  if (leaked !== undefined)
    return { type: typeOf(item), excerpt: leaked, reason: "history that the model must not see" };
  // Instructions and tools are the CLI's own affair.
  if (item.role === "system") return undefined;
  if (block.type === "text" && item.role === "user") {
    const again = said.find((text) => rest === text || (text.length >= LONG && rest.includes(text)));
    return again === undefined ? undefined : { type: "text", excerpt: again, reason: "said more than once" };
  }
  if (block.type === "text") {
    return rest === "" ? undefined : { type: "text", excerpt: rest, reason: "the assistant never said this" };
  }
  if (used.length > 0) return undefined;
  if (block.type === "tool_use")
    return {
      type: "call",
      excerpt: `${block.name} ${JSON.stringify(block.input)}`,
      reason: "nobody made this call",
    };
  if (block.type === "tool_result")
    return { type: "result", excerpt: rest, reason: "no call of the session has this result" };
  return { type: typeOf(item), excerpt: rest || block.type, reason: "the session does not hold this" };
}

function typeOf({ block }: Item): Finding["type"] {
  if (block.type === "tool_use") return "call";
  if (block.type === "tool_result") return "result";
  return block.type;
}

/** Hidden texts by which a leak can be told: long enough, and not quoted in what is visible. */
function tellingOf(hidden: readonly string[], facts: readonly Fact[]): string[] {
  if (hidden.length === 0) return [];
  const seen = facts
    .flatMap((fact) => {
      if (fact.type === "text" || fact.type === "thinking") return [fact.text];
      return fact.type === "result" ? fact.texts : [];
    })
    .join("\0");
  const probes = new Set(hidden.map((text) => text.trim().slice(0, PROBE).trim()));
  return [...probes].filter((probe) => probe.length >= TELLING && !seen.includes(probe));
}

function userTexts(facts: readonly Fact[]): string[] {
  const texts = facts.flatMap((fact) =>
    fact.type === "text" && fact.role === "user" && !fact.injected ? [fact.text] : [],
  );
  return [...new Set(texts)];
}
