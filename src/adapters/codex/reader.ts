// Reads its sessions.
import type { Reader } from "../adapter.ts";
import { isSpread } from "./lineage.ts";
import { open, reading } from "./open.ts";
import { place } from "./place.ts";
import { fold } from "./read.ts";

export const reader: Reader = {
  ...place,
  provider: "openai",
  open,
  reading: (ref) => reading(ref),
  fold,
  isSpread,
};
