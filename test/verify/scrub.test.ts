// What makes a recording fit for the repository, and what shows how two of them differ.
import { describe, expect, it } from "vitest";
import { scrubber } from "../real/scrub.ts";
import { differences, shapeOf } from "../real/shape.ts";

describe("scrubbing", () => {
  const late = "01a1e125-5795-7c02-9bc9-cfcf3e48c18b";
  const early = "01a1e124-0000-7c02-9bc9-cfcf3e48c18b";
  const other = "9f1ecf0c-8a3c-4a55-9a2a-0123456789ab";
  const line = JSON.stringify({
    late,
    early,
    other,
    at: "2026-11-15T21:38:05.815Z",
    before: "2026-11-15T21:38:03.298Z",
  });
  const { text, record } = scrubber(line, new Map([["/tmp/x1/project", "/home/dev/project"]]), [
    "we said this ".repeat(30),
  ]);

  it("gives ids and times names that keep their order", () => {
    const clean = JSON.parse(text(line));
    expect(clean.early < clean.late).toBe(true);
    expect(clean.before < clean.at).toBe(true);
    expect(clean.other).toBe("00000000-0000-4000-8000-000000000001");
    expect(text(line)).toBe(text(line));
    expect(text(line)).not.toMatch(/01a1e12|9f1ecf0c|2026-11/);
  });

  it("renames paths, calls, seals and clocks", () => {
    expect(text("cd /tmp/x1/project")).toBe("cd /home/dev/project");
    const ids = text(
      "call_2c859be751fa72b2ddc810fd call_1eb74a793e9f1eae35823db6 call_2c859be751fa72b2ddc810fd",
    ).split(" ");
    expect(ids[0]).toBe(ids[2]);
    expect(ids[0]).not.toBe(ids[1]);
    const seal = Buffer.from("a secret").toString("base64");
    const [first, second] = [text(`{"signature":"${seal}"}`), text(`{"encrypted_content":"${seal}"}`)];
    expect(JSON.parse(first).signature).toBe(JSON.parse(second).encrypted_content);
    expect(first).not.toContain(seal);
    expect(text('{"started_at":1794778683,"ms":1794778683123}')).toBe(
      '{"started_at":1767323045,"ms":1767323045000}',
    );
  });

  it("cuts what is long unless it was said in the session", () => {
    const said = "we said this ".repeat(30);
    const prompt = "You are an agent. ".repeat(30);
    const clean = record({ said, prompt, base_instructions: "x", tools: [1, 2, 3] });
    expect(clean).toEqual({ said, prompt: `${prompt.slice(0, 80)}…`, tools: [1] });
  });
});

it("two shapes differ in kinds and fields, not in values", () => {
  const before = shapeOf([{ type: "user", id: "a", gone: 1 }, { type: "old" }]);
  const after = shapeOf([
    { type: "user", id: "b", deep: [{ x: true }] },
    { type: "event", payload: { type: "new" } },
  ]);
  expect(differences(before, after)).toEqual([
    "+ event/new: a new kind of record",
    "- old: no longer written",
    "+ user: deep[].x: boolean",
    "- user: gone: number",
  ]);
  expect(differences(before, shapeOf([{ type: "user", id: "z", gone: 9 }, { type: "old" }]))).toEqual([]);
});
