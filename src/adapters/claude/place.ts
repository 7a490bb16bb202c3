// Where its sessions are: all that a list needs while nothing has changed.
import type { Place } from "../adapter.ts";
import { discoverStore } from "./legacy-store.ts";
import { configDir, discoverFiles, renewed, watched } from "./paths.ts";

export const place: Place = {
  id: "claude",
  label: "Claude Code",
  badge: "claude",
  *discover(home, looking) {
    yield* discoverFiles(home, looking);
    yield* discoverStore(home, looking);
  },
  projects: async (home) => (await import("./installed.ts")).projects(home),
  stores: (home) => [configDir(home)],
  watched,
  renewed,
};
