// The adapter for yume-cli. README.md describes the store.
import { badgeOf } from "../../session/vendor.ts";
import type { Adapter } from "../adapter.ts";
import { open } from "./open.ts";
import { discover, recognise, stores } from "./paths.ts";
import { fold } from "./read.ts";
import { tools } from "./tools.ts";

export const yume: Adapter = {
  id: "yume",
  label: "yume-cli",
  badge: "yume",
  badgeOf: ({ model }) => badgeOf(model.provider),
  provider: "yume",
  api: "chat",
  holds: {
    thinking: "none",
    images: false,
    documents: false,
    branches: false,
    subagents: false,
    models: "per_session",
  },
  proven: [],
  discover,
  stores,
  recognise,
  open,
  fold,
  tools,
  // It is read only, so neither its CLI nor its settings matter.
  version: async () => undefined,
  isLive: async () => false,
  configuration: async () => ({ mcpServers: [] }),
};
