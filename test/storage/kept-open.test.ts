// Connections that are kept for the next who asks, and let go of.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, describe, expect, it, vi } from "vitest";
import { keepingOpen, readBriefly } from "../../src/storage/sqlite.ts";
import { temporaryFolder } from "./temporary.ts";

afterEach(() => {
  vi.useRealTimers();
});

function databaseIn(folder: string): string {
  const path = join(folder, "some.db");
  const database = new DatabaseSync(path);
  database.exec("CREATE TABLE one (value)");
  database.close();
  return path;
}

const used = (path: string) => readBriefly(path, (database) => database);

describe("a connection for reading", () => {
  it("is kept while somebody works, and closed then", async () => {
    const path = databaseIn(await temporaryFolder());
    const [first, second] = await keepingOpen(async () => [used(path), used(path)]);
    expect(second).toBe(first);
    expect(first?.isOpen).toBe(false);
  });

  it("stays for a while where the next is about to ask, and not for good", async () => {
    vi.useFakeTimers();
    const path = databaseIn(await temporaryFolder());
    const first = await keepingOpen(async () => used(path), 1000);
    vi.advanceTimersByTime(900);
    expect(await keepingOpen(async () => used(path), 1000)).toBe(first);
    vi.advanceTimersByTime(900);
    expect(first.isOpen).toBe(true);
    vi.advanceTimersByTime(100);
    expect(first.isOpen).toBe(false);
  });

  it("is closed at once by whoever does not wait for another", async () => {
    const path = databaseIn(await temporaryFolder());
    const first = await keepingOpen(async () => used(path), 60_000);
    await keepingOpen(async () => undefined);
    expect(first.isOpen).toBe(false);
  });
});
