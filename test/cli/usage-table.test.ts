// The table of usage: columns that have something to say, bars that fit, nothing wider than the terminal.
import pc from "picocolors";
import { describe, expect, it } from "vitest";
import type { UsageReport, UsageRow, UsageSums } from "../../src/catalog/usage/usage.ts";
import { widthOf } from "../../src/cli/text.ts";
import { short, usageTable } from "../../src/cli/usage-table.ts";

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 };
const sums = (cost: Partial<UsageSums["cost"]>, unpriced = 0): UsageSums => ({
  tokens: { ...NONE, input: 1_234_000, output: 900 },
  cost: { recorded: 0, computed: 0, estimated: 0, ...cost },
  unpriced: { ...NONE, input: unpriced, messages: unpriced > 0 ? 1 : 0 },
  messages: 3,
  sessions: 1,
});

function table(rows: UsageRow[], total: UsageSums, width: number, by: UsageReport["by"] = "day"): string[] {
  const labels = { home: "/home/me", displayName: (model: string) => model.toUpperCase() };
  return usageTable({ by, rows, total, models: [] }, labels, { colors: pc.createColors(false), width });
}

it("shows a column for each kind of cost that there is", () => {
  const rows = [
    { key: "2026-03-01", ...sums({ recorded: 1 }) },
    { key: "2026-03-02", ...sums({ computed: 0.001 }, 5000) },
  ];
  expect(table(rows, sums({ recorded: 1, computed: 0.001 }, 5000), 100)).toEqual([
    "day           messages  input  output  cache  recorded  computed  unpriced",
    "2026-03-01           3   1.2M     900      0     $1.00                      ████████████████████████",
    "2026-03-02           3   1.2M     900      0              <$0.01        5k  ▏",
    "total                3   1.2M     900      0     $1.00    <$0.01        5k",
  ]);
});

it("bars are of tokens where nothing has a price", () => {
  const rows = [{ key: "a", ...sums({}, 10) }];
  expect(table(rows, sums({}, 10), 80, "agent")[1]).toMatch(/█{20}/);
});

describe.each([20, 40, 60, 80, 120, 200])("%i columns", (width) => {
  it("are enough, or the bar and then nothing else gives way", () => {
    const key = "/home/me/a/very/long/path/with/中文/and/more/of/it/so/that/it/does/not/fit";
    const lines = table([{ key, ...sums({ computed: 12.5 }) }], sums({ computed: 12.5 }), width, "project");
    const numbers = widthOf("            ") + widthOf("  messages  input  output  cache  computed");
    for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(Math.max(width, numbers));
    expect(lines[1]).toMatch(/^~\/a\/very/);
    expect(lines[1]).toContain("$12.50");
  });
});

it("models have their names, sessions their titles, and no project is called that", () => {
  const row = { key: "gpt-4o", title: "A title\u001b[2J", ...sums({}) };
  expect(table([row], sums({}), 80, "model")[1]).toMatch(/^GPT-4O/);
  expect(table([row], sums({}), 80, "session")[1]).toMatch(/^gpt-4o A title {2,}3/);
  expect(table([{ ...row, key: "" }], sums({}), 80, "project")[1]).toMatch(/^\(no project\)/);
});

it.each([
  [0, "0"],
  [999, "999"],
  [1000, "1k"],
  [999_499, "999k"],
  [999_500, "1.0M"],
  [12_340_000, "12.3M"],
  [2_500_000_000, "2.5G"],
])("%i is %s", (count, text) => expect(short(count)).toBe(text));
