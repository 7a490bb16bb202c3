// Where its sessions are: all that a list needs while nothing has changed.
import type { Place } from "../adapter.ts";
import { discover, projects, stores, watched } from "./paths.ts";

export const place: Place = {
  id: "gemini",
  label: "Gemini CLI",
  badge: "gemini",
  discover,
  projects,
  stores,
  watched,
};
