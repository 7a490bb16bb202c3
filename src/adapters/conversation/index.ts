// The adapter for workspace conversations. README.md describes the store.
import { readRecords } from "../../storage/records.ts";
import type { Adapter, SessionRef } from "../adapter.ts";
import { openSource, type Reading } from "../open.ts";
import { PLAIN, READ_ONLY } from "../read-only.ts";
import { projectOf, recognise } from "./paths.ts";
import { place } from "./place.ts";
import { fold, type State } from "./read.ts";
import { tools } from "./tools.ts";

export const conversation: Adapter = {
  ...READ_ONLY,
  ...place,
  provider: "conversation",
  holds: { ...PLAIN, models: "per_message" },
  recognise,
  open: (ref) => openSource(reading(ref)),
  reading: async (ref) => reading(ref),
  fold,
  tools,
};

function reading(ref: SessionRef): Reading<State> {
  const cwd = projectOf(ref.path);
  return {
    ref,
    fold,
    provider: "conversation",
    read: (options) => readRecords(ref.path, options),
    goesOn: true,
    ...(cwd !== undefined && { extra: { cwd } }),
  };
}
