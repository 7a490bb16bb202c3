// What an agent says of a call in its own words and ours leave out. Whoever allows a call allows what the agent will do
// with its own arguments, however well ours describe it.
import { isDeepStrictEqual } from "node:util";
import { parsePatch } from "../../adapters/patch.ts";

/** Whether everything that the agent gave is among the arguments that are shown, under a name that means the same. */
export function isShown(native: unknown, shown: Readonly<Record<string, unknown>>): boolean {
  if (typeof native === "string" && isPatchOf(native, shown)) return true;
  const told = new Set(leavesOf(shown));
  for (const leaf of leavesOf(native)) if (!told.has(leaf)) return false;
  return true;
}

/** Whether the files that are told are all that the patch says. */
export function isPatchOf(
  patch: string,
  { changes, file_path, content }: Readonly<Record<string, unknown>>,
): boolean {
  // It says where else the patch is to be made.
  if (/^\*\*\* Environment ID:/m.test(patch)) return false;
  const said = parsePatch(patch)?.map(({ path, ...rest }) => ({ ...rest, file_path: path }));
  const told = Array.isArray(changes) ? changes : [{ kind: "add", file_path, content }];
  return said !== undefined && isDeepStrictEqual(said, told);
}

/** What agents call the same, without underlines and in small letters. */
const SAME: ReadonlyMap<string, string> = new Map([
  ["cmd", "command"],
  ["path", "filepath"],
  ["absolutepath", "filepath"],
  ["old", "oldstring"],
  ["new", "newstring"],
  ["all", "replaceall"],
  ["allowmultiple", "replaceall"],
  ["background", "runinbackground"],
  ["isbackground", "runinbackground"],
  ["workdir", "cwd"],
  ["dirpath", "cwd"],
  ["agent", "subagenttype"],
  ["timeoutms", "timeout"],
]);
/** Where nothing is said of these, they are off. */
const OFF: ReadonlySet<string> = new Set(["replaceall", "runinbackground"]);

/** Every value with where it stands; what is empty is a value too. */
function* leavesOf(value: unknown, at = ""): Generator<string> {
  if (typeof value !== "object" || value === null || Object.keys(value).length === 0) {
    if (at !== "" || typeof value !== "object") yield `${at} ${JSON.stringify(value)}`;
    return;
  }
  for (const [key, one] of Object.entries(value)) {
    const plain = key.replaceAll("_", "").toLowerCase();
    const name = SAME.get(plain) ?? plain;
    // Of the arguments themselves, those that are null are not given.
    const isNothing = one === undefined || (one === null && at === "") || (one === false && OFF.has(name));
    if (!isNothing) yield* leavesOf(one, `${at}/${name}`);
  }
}
