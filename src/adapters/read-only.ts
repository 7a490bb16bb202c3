// What the adapters of plain chat stores have in common that are only read: no CLI is started, nothing is written.
import { badgeOf } from "../session/vendor.ts";
import type { Adapter } from "./adapter.ts";

export const READ_ONLY = {
  badgeOf: ({ model }) => badgeOf(model.provider),
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
