// Which of many short texts stand in a long one, found in a single pass over it. Almost every text has none of them,
// and then nothing else has to look at it.

export type Anchors = (text: string) => ReadonlySet<string>;

/** Found so often that stopping at each of them would cost more than looking for it alone. */
const FREQUENT: readonly string[] = ["://"];

export function newAnchors(anchors: readonly string[]): Anchors {
  // The longest first: it holds the shorter ones that it begins with.
  const rare = [...new Set(anchors)]
    .filter((anchor) => !FREQUENT.includes(anchor))
    .toSorted((a, b) => b.length - a.length);
  const held = new Map(rare.map((anchor) => [anchor, rare.filter((other) => anchor.includes(other))]));
  const any = new RegExp(rare.map(escaped).join("|"), "g");
  return (text) => {
    const found = new Set(FREQUENT.filter((anchor) => text.includes(anchor)));
    any.lastIndex = 0;
    for (let match = any.exec(text); match; match = any.exec(text))
      for (const anchor of held.get(match[0]) ?? []) found.add(anchor);
    return found;
  };
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
