// What an agent says of a call in its own words and ours leave out. Whoever allows a call allows what the agent will do
// with its own arguments, however well ours describe it.
import { isDeepStrictEqual } from "node:util";
import { parsePatch } from "../../adapters/patch.ts";

/** Whether everything that the agent gave is among the arguments that are shown. */
export function isShown(native: unknown, shown: Readonly<Record<string, unknown>>): boolean {
  if (typeof native === "string" && isPatchOf(native, shown)) return true;
  const left = new Map<string, number>();
  for (const leaf of leavesOf(shown)) left.set(leaf, (left.get(leaf) ?? 0) + 1);
  for (const leaf of leavesOf(native)) {
    const count = left.get(leaf) ?? 0;
    // Each counts once: what is said twice and shown once may be about something else.
    if (count === 0) return false;
    left.set(leaf, count - 1);
  }
  return true;
}

/** Whether the files that are told are all that the patch says. */
export function isPatchOf(
  patch: string,
  { changes, file_path, content }: Readonly<Record<string, unknown>>,
): boolean {
  const said = parsePatch(patch)?.map(({ path, ...rest }) => ({ ...rest, file_path: path }));
  const told = Array.isArray(changes) ? changes : [{ kind: "add", file_path, content }];
  return said !== undefined && isDeepStrictEqual(said, told);
}

/** Texts by what they say; what is too short to be told apart by that, such as `true`, by its name as well. */
function* leavesOf(value: unknown, name = ""): Generator<string> {
  if (typeof value === "string") yield JSON.stringify(value);
  else if (Array.isArray(value)) for (const one of value) yield* leavesOf(one, name);
  else if (typeof value === "object" && value !== null)
    for (const [key, one] of Object.entries(value)) yield* leavesOf(one, key);
  else if (value !== undefined && value !== null) yield `${name.replaceAll("_", "").toLowerCase()} ${value}`;
}
