// The adapter for yume-cli. README.md describes the store.
import type { Adapter } from "../adapter.ts";
import { PLAIN, READ_ONLY } from "../read-only.ts";
import { open, reading } from "./open.ts";
import { discover, recognise, stores } from "./paths.ts";
import { fold } from "./read.ts";
import { tools } from "./tools.ts";

export const yume: Adapter = {
  ...READ_ONLY,
  id: "yume",
  label: "yume-cli",
  badge: "yume",
  provider: "yume",
  holds: { ...PLAIN, models: "per_session" },
  discover,
  stores,
  recognise,
  open,
  reading,
  fold,
  tools,
};
