// The request of a real CLI, laid out for comparison: every block in order, with what of it is accounted for.
import { type Block, blockText, facts, type ModelRequest, RESULTS, type Role } from "../loopback/request.ts";

export interface Item {
  /** Its place in the request. */
  at: number;
  role: Role;
  block: Block;
  /** Shared by the calls and results between two pieces of prose. */
  group: number;
  text: string;
  /** For a call: how many came before it. */
  call: number;
  /** The CLI says this by itself, in any session. */
  isOwn: boolean;
  /** Stretches of the text that a fact was found in; for anything but text, one stretch is all of it. */
  used: [number, number][];
}

export interface Asked {
  items: Item[];
  calls: Item[];
  /** Results by the id of the call they answer. */
  results: Map<string, Item[]>;
  /** What results can say here. */
  may: (typeof RESULTS)[ModelRequest["api"]];
  /** Where the session goes on. */
  cwd: string;
}

export interface Surroundings {
  /** What the CLI says by itself: its request in a session with one prompt. */
  control?: ModelRequest;
  cwd?: string;
}

export function asked(request: ModelRequest, { control, cwd = "" }: Surroundings = {}): Asked {
  const own = new Set(control ? facts(control).map(keyOf) : []);
  let group = 0;
  let calls = 0;
  const items = facts(request).map(({ role, block }, at): Item => {
    if (block.type === "text" && role !== "system") group++;
    const isOwn = own.has(keyOf({ role, block }));
    const call = isCall(role, block) ? calls++ : -1;
    return { at, role, block, group, text: blockText(block), used: [], isOwn, call };
  });
  const results = new Map<string, Item[]>();
  for (const item of items) {
    if (item.block.type !== "tool_result") continue;
    const known = results.get(item.block.callId);
    if (known) known.push(item);
    else results.set(item.block.callId, [item]);
  }
  return {
    items,
    calls: items.filter((item) => item.call !== -1),
    results,
    may: RESULTS[request.api],
    cwd,
  };
}

/** A call that the vendor itself carried out has a shape of its own. */
function isCall(role: Role, block: Block): boolean {
  return block.type === "tool_use" || (block.type === "other" && role === "assistant");
}

function keyOf({ role, block }: { role: Role; block: Block }): string {
  return `${role} ${block.type === "text" ? block.text.trim() : JSON.stringify(block)}`;
}

/** Where a text begins in a stretch that is still free, or -1. */
export function locate(item: Item, text: string): number {
  for (let at = item.text.indexOf(text); at !== -1; at = item.text.indexOf(text, at + 1)) {
    const end = at + text.length;
    if (!item.used.some(([from, to]) => at < to && end > from)) return at;
  }
  return -1;
}

export function use(item: Item, from = 0, length = item.text.length): void {
  item.used.push([from, from + length]);
}

/** What no fact accounts for. */
export function remainder(item: Item): string {
  let text = "";
  let from = 0;
  for (const [start, end] of item.used.toSorted((a, b) => a[0] - b[0])) {
    text += `${item.text.slice(from, Math.max(from, start))}\n`;
    from = Math.max(from, end);
  }
  return (text + item.text.slice(from)).trim();
}
