// The adapter for workspace conversations. README.md describes the store.
import { readRecords } from "../../storage/records.ts";
import type { Adapter } from "../adapter.ts";
import { openSource } from "../open.ts";
import { PLAIN, READ_ONLY } from "../read-only.ts";
import { discover, projectOf, recognise, stores } from "./paths.ts";
import { fold } from "./read.ts";
import { tools } from "./tools.ts";

export const conversation: Adapter = {
  ...READ_ONLY,
  id: "conversation",
  label: "Workspace chat",
  badge: "conversation",
  provider: "conversation",
  holds: { ...PLAIN, models: "per_message" },
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
};
