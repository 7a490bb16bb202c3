// A private folder under the system's temp folder, removed after the tests of a file.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll } from "vitest";

export function temporaryFolder(): () => string {
  const path = mkdtempSync(join(tmpdir(), "baton-test-"));
  afterAll(() => rmSync(path, { recursive: true, force: true }));
  return () => path;
}
