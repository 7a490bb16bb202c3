// What a request holds beyond the facts. What the CLI says by itself is known from a run with a session of its
// own that holds one prompt; anything else that no fact accounts for is a stranger, in whatever role.
import type { Loss } from "../session/losses.ts";
import { type Asked, type Item, remainder } from "./asked.ts";
import type { CompareOptions, Finding } from "./compare.ts";
import { isNoteOf } from "./excuses.ts";
import { type Fact, shorten } from "./facts.ts";

/** A shorter text must be a whole block to be recognised, because it turns up by chance inside others. */
const TELLING = 16;
/** Enough of a text to recognise it by. */
const PROBE = 200;

interface Known {
  /** Hidden texts that are not quoted in what is visible. */
  hidden: readonly string[];
  said: ReadonlySet<string>;
  /** Announced notes that were not met yet. */
  notes: Loss[];
  options: Pick<CompareOptions, "fillers" | "isContext">;
}

export function strangers(
  wire: Asked,
  facts: readonly Fact[],
  options: Pick<CompareOptions, "hidden" | "fillers" | "losses" | "isContext">,
): { unexpected: Finding[]; injected: string[] } {
  const known: Known = {
    hidden: hiddenFrom(options.hidden ?? [], facts),
    said: new Set(facts.flatMap((fact) => (fact.type === "text" && !fact.injected ? [fact.text] : []))),
    notes: messageLosses(options.losses ?? [], facts).filter(
      ({ kind }) => kind === "image_dropped" || kind === "document_dropped",
    ),
    options,
  };
  const unexpected: Finding[] = [];
  const injected: string[] = [];
  for (const item of wire.items) {
    const rest = remainder(item);
    const found = item.isOwn ? undefined : judge(item, rest, known);
    if (found) unexpected.push({ ...found, excerpt: shorten(found.excerpt) });
    else if (item.block.type === "text" && item.role !== "system" && rest !== "") injected.push(rest);
  }
  return { unexpected, injected };
}

function judge(item: Item, rest: string, known: Known): Finding | undefined {
  const { block, used } = item;
  const leaked = known.hidden.find(
    (text) => rest === text || (text.length >= TELLING && rest.includes(text)),
  );
  if (leaked !== undefined)
    return { type: typeOf(item), excerpt: leaked, reason: "history that the model must not see" };
  if (block.type === "text") return rest === "" ? undefined : judgeText(item, rest, known);
  if (used.length > 0) return undefined;
  if (block.type === "tool_use")
    return {
      type: "call",
      excerpt: `${block.name} ${JSON.stringify(block.input)}`,
      reason: "nobody made this call",
    };
  if (block.type === "tool_result")
    return { type: "result", excerpt: rest, reason: "no call of the session has this result" };
  // What an agent declares to its model of itself is its own affair, where it says that in another form.
  if (item.role === "system") return undefined;
  return { type: typeOf(item), excerpt: rest || block.type, reason: "the session does not hold this" };
}

function judgeText(item: Item, rest: string, { said, notes, options }: Known): Finding | undefined {
  if (item.role === "assistant" && options.fillers?.includes(rest)) return undefined;
  if (item.role === "system" && options.isContext) return undefined;
  if (item.role === "user" && options.isContext?.(item.text)) return undefined;
  const note = item.role === "user" ? notes.findIndex((loss) => isNoteOf(rest, loss)) : -1;
  if (note !== -1) {
    notes.splice(note, 1);
    return undefined;
  }
  const reason = said.has(rest) ? "said more than once" : `the ${item.role} never said this`;
  return { type: "text", excerpt: rest, reason };
}

function typeOf({ block }: Item): Finding["type"] {
  if (block.type === "tool_use") return "call";
  if (block.type === "tool_result") return "result";
  return block.type;
}

/** What was left out of a result is accounted for there. */
function messageLosses(losses: readonly Loss[], facts: readonly Fact[]): Loss[] {
  const results = new Set(facts.flatMap((fact) => (fact.type === "result" ? [fact.entry] : [])));
  return losses.filter(({ at }) => at.entry === undefined || !results.has(at.entry));
}

function hiddenFrom(hidden: readonly string[], facts: readonly Fact[]): string[] {
  if (hidden.length === 0) return [];
  const seen = facts
    .flatMap((fact) => {
      if (fact.type === "text" || fact.type === "thinking") return [fact.text];
      return fact.type === "result" ? fact.texts : [];
    })
    .join("\0");
  const texts = new Set(hidden.map((text) => text.trim().slice(0, PROBE).trim()));
  return [...texts].filter((text) => text !== "" && !seen.includes(text));
}
