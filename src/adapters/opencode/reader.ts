// Reads its sessions.
import type { Reader } from "../adapter.ts";
import { open, reading } from "./open.ts";
import { place } from "./place.ts";
import { fold } from "./read.ts";

export const reader: Reader = {
  ...place,
  provider: "opencode",
  open,
  reading,
  fold,
};
