// When a wait is over, from the sentences that agents and vendors have been seen to write.
import { describe, expect, it } from "vitest";
import { endOfWait } from "../../src/adapters/wait.ts";

const at = Date.parse("2026-11-18T10:05:24Z");
const end = (said: string): string | undefined => {
  const time = endOfWait(said, at);
  return time === undefined ? undefined : new Date(time).toISOString().replace(".000Z", "Z");
};

describe("a wait", () => {
  it.each([
    ["Please try again in 20s.", "2026-11-18T10:05:44Z"],
    ["try again in 350ms", "2026-11-18T10:05:24.350Z"],
    ["Rate limited, try again in 5 minutes", "2026-11-18T10:10:24Z"],
    ["Please retry after 30", "2026-11-18T10:05:54Z"],
    ["retry-after: 30", "2026-11-18T10:05:54Z"],
    ["You've hit your usage limit. Try again in 3 days 4 hours 12 minutes.", "2026-11-21T14:17:24Z"],
    ["Your quota will reset after 23h59m40s.", "2026-11-19T10:05:04Z"],
    ["Your quota will reset after 23h59m", "2026-11-19T10:04:24Z"],
    ["Please retry in 34.5s", "2026-11-18T10:05:58.500Z"],
    ["Try again in about 1 hour and 30 minutes", "2026-11-18T11:35:24Z"],
  ])("of a while: %s", (said, expected) => expect(end(said)).toBe(expected));

  it.each([
    ["Claude AI usage limit reached|1795007123", "2026-11-18T13:05:23Z"],
    ["limit reached|1795007123000", "2026-11-18T13:05:23Z"],
    ["resets at 2026-11-18T15:45:00Z", "2026-11-18T15:45:00Z"],
    ["try again at 2026-11-18T15:45:00+01:00", "2026-11-18T14:45:00Z"],
  ])("until a moment: %s", (said, expected) => expect(end(said)).toBe(expected));

  it.each([
    ["You've hit your limit · resets 2:05pm (Europe/Berlin)", "2026-11-18T13:05:00Z"],
    ["You've hit your session limit · resets 3am (America/New_York)", "2026-11-19T08:00:00Z"],
    ["You've hit your limit · resets Nov 21, 11:05am (Europe/Berlin)", "2026-11-21T10:05:00Z"],
    ["spend limit reached · resets Dec 1 (UTC)", "2026-12-01T00:00:00Z"],
    ["resets Jan 2, 5pm (Asia/Tokyo)", "2027-01-02T08:00:00Z"],
    ["Access resets at 11:45 PM GMT+1", "2026-11-18T22:45:00Z"],
    ["resets at 15:45 (UTC)", "2026-11-18T15:45:00Z"],
    ["resets 12am (UTC)", "2026-11-19T00:00:00Z"],
    // The clocks change in between.
    ["resets Mar 29, 12pm (Europe/Berlin)", "2027-03-29T10:00:00Z"],
    // Said within that minute: it is over.
    ["resets 10:05am (UTC)", "2026-11-18T10:05:00Z"],
  ])("until a time in a zone: %s", (said, expected) => expect(end(said)).toBe(expected));

  it("until a time of the machine's own zone where none is named", () => {
    const local = (time: number | undefined) => {
      const date = new Date(time ?? Number.NaN);
      return [date.getHours(), date.getMinutes()];
    };
    expect(local(endOfWait("5-hour limit reached ∙ resets 3pm", at))).toEqual([15, 0]);
    expect(local(endOfWait("resets at 15:45", at))).toEqual([15, 45]);
    expect(local(endOfWait("purchase more credits or try again at 1:05 PM.", at))).toEqual([13, 5]);
    expect(local(endOfWait("resets 3pm (Middle/Nowhere)", at))).toEqual([15, 0]);
    const later = new Date(endOfWait("or try again at Nov 21st, 2026 11:05 AM.", at) ?? Number.NaN);
    expect([later.getMonth(), later.getDate(), later.getHours(), later.getMinutes()]).toEqual([
      10, 21, 11, 5,
    ]);
  });

  it.each([
    "Rate limit reached for gpt-5.5: Limit 30000, Used 29000",
    "Please try again later.",
    "Retrying, attempt 3 of 10",
    "You exceeded your current quota, please check your plan and billing details.",
    "",
    "|17",
    `resets ${"9".repeat(10_000)}`,
  ])("without an end: %s", (said) => expect(end(said)).toBeUndefined());
});
