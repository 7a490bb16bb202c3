// The adapter for workspace conversations. README.md describes the store.
import { badgeOf } from "../../session/vendor.ts";
import { readRecords } from "../../storage/records.ts";
import type { Adapter } from "../adapter.ts";
import { openSource } from "../open.ts";
import { discover, projectOf, recognise, stores } from "./paths.ts";
import { fold } from "./read.ts";
import { tools } from "./tools.ts";

export const conversation: Adapter = {
  id: "conversation",
  label: "Workspace chat",
  badge: "conversation",
  badgeOf: ({ model }) => badgeOf(model.provider),
  provider: "conversation",
  api: "chat",
  holds: {
    thinking: "none",
    images: false,
    documents: false,
    branches: false,
    subagents: false,
    models: "per_message",
  },
  proven: [],
  discover,
  stores,
  recognise,
  open(ref) {
    const cwd = projectOf(ref.path);
    return openSource({
      ref,
      fold,
      provider: "conversation",
      read: (options) => readRecords(ref.path, options),
      ...(cwd !== undefined && { extra: { cwd } }),
    });
  },
  fold,
  tools,
  // They are read only, and no CLI writes them.
  version: async () => undefined,
  isLive: async () => false,
  configuration: async () => ({ mcpServers: [] }),
};
