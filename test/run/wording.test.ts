// A call and what is asked about it: nothing that somebody may have to allow is hidden in a line, and all of it is kept.
import { describe, expect, it } from "vitest";
import { newProtocol, result, said, wrong } from "./told.ts";

describe("lines", () => {
  it.each([
    ["a title", "ls \u001b]0;touch x;\u0007", "ls ␛]0;touch x;\u0007"],
    ["a colour", "ls \u001b[;touch\u001b[Kx", "ls ␛[;touch␛[Kx"],
    ["a sequence in one byte", "ls \u009b;touch\u009dx\u009c", "ls <U+009B>;touch<U+009D>x<U+009C>"],
  ])("of arguments show %s, and what was given is kept", (_, hidden, seen) => {
    const kept = new Map<string, unknown>();
    const protocol = newProtocol({
      keepInput(id, input) {
        kept.set(id, input);
        return `/kept/${id}`;
      },
    });
    const input = { cmd: hidden, [hidden]: [{ [hidden]: hidden }] };
    const call = { tool: "bash" as const, input: { command: hidden, [hidden]: [{ [hidden]: hidden }] } };
    const native = { name: "shell", input: { cmd: seen, [seen]: [{ [seen]: seen }] } };
    const shown = { command: seen, [seen]: [{ [seen]: seen }] };
    const asked = protocol.asked({ type: "ask", id: "1", name: "shell", input, call, reason: hidden }, 1000);
    expect(asked.at(-1)).toMatchObject({
      name: "Bash",
      input: shown,
      native: { ...native, input_path: "/kept/1 asked native" },
      reason: seen,
      input_path: "/kept/1 asked",
    });
    expect(kept.get("1 asked native")).toEqual(input);
    expect(kept.get("1 asked")).toEqual(call.input);
    const used = protocol.say({ type: "tool_use", id: "2", name: "shell", input, call });
    expect(used.at(-1)).toMatchObject({
      input: shown,
      native: { ...native, input_path: "/kept/2 native" },
      input_path: "/kept/2",
    });
    expect(kept.get("2")).toEqual(call.input);
    expect(wrong([...asked, ...used, ...protocol.finish({})])).toEqual([]);
  });

  it("of what always would allow are short and few", () => {
    const always = Array.from({ length: 30 }, (_, at) => `\u001b]0;x\u0007 ${at} ${"y".repeat(300)}`);
    const protocol = newProtocol();
    const call = { tool: "bash" as const, input: {} };
    const asked = protocol.asked({ type: "ask", id: "1", name: "shell", input: {}, call, always }, 1000);
    const told = asked.find((event) => event.type === "approval_request")?.always ?? [];
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe("and 10 more");
    expect(told[1]).toMatch(/^␛\]0;x\u0007 1 y+ …$/);
    expect(wrong([...asked, ...protocol.finish({})])).toEqual([]);
  });

  it("of arguments that show many sequences are short enough all the same", () => {
    const input = { a: "\u009b".repeat(40_000) };
    const call = { tool: "unknown" as const, input };
    const name = "\u009b".repeat(40_000);
    const events = said([{ type: "tool_use", id: name, name, input, call }, result(name)]);
    expect(wrong(events)).toEqual([]);
  });
});
