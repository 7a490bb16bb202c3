// The line that tells how far work has come fits the terminal, and says no more than is known.
import { describe, expect, it } from "vitest";
import { progressLine } from "../../src/cli/progress.ts";
import { bytes } from "../../src/cli/text.ts";

const line = (done: number, total: number, ms: number, width = 79) =>
  progressLine("Reading sessions:", { done, total, ms }, bytes, width);

describe("the progress line", () => {
  it("has a bar, the amounts, the rate and the time left", () => {
    expect(line(50e6, 200e6, 10_000, 120)).toBe(
      "Reading sessions: [#####...............] 50.0 MB of 200.0 MB, 5.0 MB/s, 30 s left",
    );
  });

  it.each([
    [1.4e9, 1.5e9, 900_000],
    [137.2e6, 170.5e6, 9_000],
    [999.9e6, 999.9e9, 99_000_000],
    [30e9, 999.9e9, 99_000_000],
    [0, 170.5e6, 1_000],
  ])("fits 80 columns with %d of %d bytes after %d ms", (done, total, ms) => {
    const text = line(done, total, ms);
    expect(text.length).toBeLessThanOrEqual(79);
    expect(text).toContain("[");
    expect(text).toMatch(/(?: left|\/s)$/);
  });

  it("has no bar where there is no room for one", () => {
    expect(line(50e6, 200e6, 10_000, 60)).toBe("Reading sessions: 50.0 MB of 200.0 MB, 5.0 MB/s, 30 s left");
  });

  it("guesses no time before enough is done", () => {
    expect(line(15e3, 170e6, 1_000, 120)).toMatch(/15 kB\/s$/);
  });

  it("tells long times in minutes and hours", () => {
    expect(line(50e6, 200e6, 100_000, 120)).toMatch(/, 5 min left$/);
    expect(line(50e6, 200e6, 10_000_000, 120)).toMatch(/, 8 h 20 min left$/);
  });

  it("is full at the end", () => {
    expect(line(200e6, 200e6, 10_000, 120)).toMatch(/\[#{20}\].*, 0 s left$/);
    expect(line(0, 0, 10_000, 120)).toMatch(/\[#{20}\]/);
  });
});
