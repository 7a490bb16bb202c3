// Where its sessions are: all that a list needs while nothing has changed.
import type { Place } from "../adapter.ts";
import { discover, stores, watched } from "./paths.ts";

export const place: Place = {
  id: "yume",
  label: "yume-cli",
  badge: "yume",
  discover,
  stores,
  watched,
};
