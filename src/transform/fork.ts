// Branches a session: the same records, with another entry as the newest one.
import { BatonError } from "../session/error.ts";
import type { Source } from "../session/source.ts";

/** The session as it stood right after the entry `at`. An id prefix of four or more characters is enough. */
export function forkAt(source: Source, at: string): Source {
  const head = positionOf(source, at);
  const skeleton = { ...source.skeleton, head };
  return {
    ...source,
    skeleton,
    header: { ...source.header, head: source.skeleton.id(head) },
    get losses() {
      return source.losses;
    },
  };
}

/** The position of an entry by its id, or by a beginning of it that no other has. */
export function positionOf(source: Pick<Source, "skeleton">, at: string): number {
  const { skeleton } = source;
  const exact = skeleton.find(at);
  if (exact !== -1) return exact;
  const matches: number[] = [];
  for (let position = 0; at.length >= 4 && position < skeleton.length; position++)
    if (skeleton.id(position).startsWith(at)) matches.push(position);
  if (matches.length === 1) return matches[0] as number;
  if (matches.length === 0)
    throw new BatonError(
      "not_found",
      `This session has no entry "${at}".`,
      "`baton show SESSION --format json` lists the entries with their ids.",
    );
  const listed = matches
    .slice(0, 10)
    .map((position) => `  ${skeleton.id(position)}  ${skeleton.type(position)}`);
  throw new BatonError(
    "ambiguous",
    `"${at}" means ${matches.length} entries:\n${listed.join("\n")}`,
    "Give more of the id.",
  );
}
