// A session as other sessions and the journal name it.
import type { Header } from "../session/session.ts";

export function nameOf({ source, id }: Pick<Header, "source" | "id">): string {
  return `${source.cli}:${source.originalId ?? id}`;
}
