// Numbers as the sentences of an analysis say them.
import { expect, it } from "vitest";
import { wait, windowText } from "../../src/switch/wording.ts";

it.each([
  [0, "0"],
  [999, "999"],
  [8_192, "8K"],
  [128_000, "128K"],
  [400_000, "400K"],
  [949_999, "950K"],
  [1_000_000, "1M"],
  [1_048_576, "1M"],
  [1_050_000, "1.05M"],
  [2_000_000, "2M"],
  [2_097_152, "2.1M"],
  [10_000_000, "10M"],
])("a window of %i tokens is %s", (tokens, text) => expect(windowText(tokens)).toBe(text));

it.each([
  ["2026-11-18T11:00:00Z", "1 min"],
  ["2026-11-18T11:00:01Z", "1 min"],
  ["2026-11-18T11:59:00Z", "59 min"],
  ["2026-11-18T12:00:00Z", "1 h 0 min"],
  ["2026-11-19T10:59:00Z", "23 h 59 min"],
  ["2026-11-19T11:00:00Z", "1 day 0 h"],
  ["2026-11-21T14:30:00Z", "3 days 3 h"],
  // What is over takes no longer than what is about to be.
  ["2026-11-18T10:00:00Z", "1 min"],
])("until %s it takes %s", (until, text) => expect(wait(until, new Date("2026-11-18T11:00:00Z"))).toBe(text));
