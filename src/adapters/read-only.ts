// What the adapters of plain chat stores have in common that are only read: no CLI is started, nothing is written.
import type { Header } from "../session/session.ts";
import { badgeOf } from "../session/vendor.ts";
import type { Adapter } from "./adapter.ts";

export function providersBadge({ model }: Pick<Header, "model">): string {
  return badgeOf(model.provider);
}

export const READ_ONLY = {
  api: "chat",
  proven: [],
  version: async () => undefined,
  isLive: async () => false,
  configuration: async () => ({ mcpServers: [] }),
} satisfies Partial<Adapter>;

/** Texts and calls are all that they hold. */
export const PLAIN = {
  thinking: "none",
  images: false,
  documents: false,
  branches: false,
  subagents: false,
} satisfies Partial<Adapter["holds"]>;
