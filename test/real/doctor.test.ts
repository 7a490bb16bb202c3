// The doctor with the real CLIs: the pinned versions are the proven ones.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { baton } from "./baton.ts";
import { installCli, NAMES } from "./install.ts";

it("knows every CLI and that it is proven", async () => {
  const home = await mkdtemp(join(tmpdir(), "baton-doctor-"));
  try {
    const { result, status } = await baton(home, home, "doctor");
    expect(status).toBe(0);
    for (const agent of NAMES) {
      const { version, path } = await installCli(agent);
      expect(result.agents).toContainEqual(
        expect.objectContaining({ agent, installed: { version, path }, proven: true }),
      );
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
