// Where its sessions are: all that a list needs while nothing has changed.
import type { Place } from "../adapter.ts";
import { discover, renewed, stores, watched } from "./paths.ts";

export const place: Place = {
  id: "codex",
  label: "Codex CLI",
  badge: "openai",
  discover,
  projects: async (home) => (await import("./installed.ts")).projects(home),
  stores,
  watched,
  renewed,
};
