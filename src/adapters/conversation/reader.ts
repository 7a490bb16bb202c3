// Reads its sessions.
import { readRecords } from "../../storage/records.ts";
import type { Reader, SessionRef } from "../adapter.ts";
import { openSource, type Reading } from "../open.ts";
import { providersBadge } from "../read-only.ts";
import { projectOf } from "./paths.ts";
import { place } from "./place.ts";
import { fold, type State } from "./read.ts";

export const reader: Reader = {
  ...place,
  provider: "conversation",
  badgeOf: providersBadge,
  open: (ref) => openSource(reading(ref)),
  reading: async (ref) => reading(ref),
  fold,
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
