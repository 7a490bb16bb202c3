// Arguments may be called anything, also like what every object has: none of them is lost, and none becomes another.
import { describe, expect, it } from "vitest";
import { universalCall as claude, nativeInput } from "../../src/adapters/claude/tools.ts";
import { universalCall as codex } from "../../src/adapters/codex/universal.ts";
import { commonCall } from "../../src/adapters/common-tools.ts";
import { universalCall as gemini, translate as toGemini } from "../../src/adapters/gemini/tools.ts";
import { universalCall as opencode } from "../../src/adapters/opencode/tools.ts";
import type { UniversalCall } from "../../src/adapters/reading.ts";
import { protocolCall } from "../../src/run/tool-names.ts";
import { SPELLINGS } from "./spellings.ts";

const ODD: Record<string, unknown> = JSON.parse(
  '{"constructor":"c","valueOf":"v","__proto__":{"path":"/other","command":"other"}}',
);

const READERS: Record<string, (name: string, input: Record<string, unknown>) => UniversalCall> = {
  claude,
  codex: (name, input) => codex(name, undefined, JSON.stringify(input)),
  gemini,
  opencode: (name, input) => opencode(name, input, true),
};

/** Patches are texts, and only some tools that edit have other arguments. */
const spellings = Object.entries(READERS).flatMap(([agent, read]) =>
  (SPELLINGS[agent] ?? []).flatMap(([name, input, tool]) =>
    tool === "edit" || tool === "unknown" ? [] : [{ agent, read, name, input }],
  ),
);

const sorted = (input: object) => Object.entries(input).sort(([one], [other]) => (one < other ? -1 : 1));

describe("what nobody has a name for stands beside the others", () => {
  it.each(spellings)("$agent: $name $input", ({ read, name, input }) => {
    const [plain, odd] = [read(name, input), read(name, { ...input, ...ODD })];
    expect(odd.tool).toBe(plain.tool);
    expect(sorted(odd.input)).toEqual(sorted({ ...plain.input, ...ODD }));
    expect(sorted(protocolCall(name, odd).input)).toEqual(
      sorted({ ...protocolCall(name, plain).input, ...ODD }),
    );
  });

  it("whoever the agent is", () => {
    const read = commonCall("Read", { file_path: "/a", ...ODD });
    expect(sorted(read.input)).toEqual(sorted({ path: "/a", ...ODD }));
  });
});

describe("what is called like what a tool goes by does not take its place", () => {
  const other = { path: "/other", edits: [{ old: "o", new: "n" }], changes: [], cwd: "/other" };
  const both = { old_string: "x", new_string: "y" };
  const file_path = "/real";
  const patchText = "*** Begin Patch\n*** Delete File: real\n*** End Patch";

  it.each<[string, UniversalCall, object]>([
    ["Write", claude("Write", { file_path, content: "", ...other }), { file_path }],
    ["Edit", claude("Edit", { file_path, ...both, ...other }), { file_path, ...both }],
    ["write_file", gemini("write_file", { file_path, content: "", ...other }), { file_path }],
    ["write", opencode("write", { filePath: "/real", content: "", ...other }, true), { file_path }],
    ["bash", opencode("bash", { command: "ls", workdir: "/real", ...other }, true), { cwd: "/real" }],
    [
      "edit",
      opencode("edit", { filePath: "/real", oldString: "x", newString: "y", ...other }, true),
      { file_path, ...both },
    ],
    [
      "multiedit",
      opencode("multiedit", { filePath: "/real", ...other, path: "/other" }, true),
      { file_path, old_string: "o", new_string: "n" },
    ],
    [
      "apply_patch",
      opencode("apply_patch", { patchText, ...other }, true),
      { file_path: "real", changes: [{ kind: "delete", file_path: "real" }] },
    ],
    ["a tool", { tool: "read", input: { path: "/real", file_path: "/other" } }, { file_path }],
  ])("%s %j", (name, call, told) => {
    expect(protocolCall(name, call).input).toMatchObject(told);
  });
});

it("nothing that is needed is inherited", () => {
  expect(commonCall("Bash", JSON.parse('{"__proto__":{"command":"rm -r /"}}')).tool).toBe("unknown");
});

it("they are carried", () => {
  const input = { file_path: "/a", ...ODD };
  const call = {
    id: "1",
    timestamp: "",
    type: "tool_call",
    originalTool: "Read",
    ...claude("Read", input),
  } as const;
  const [made] = toGemini(call, undefined).pairs;
  expect(sorted(made?.input ?? {})).toEqual(sorted({ file_path: "/a", ...ODD }));
  expect(sorted(nativeInput("Read", claude("Read", input)) ?? {})).toEqual(sorted(input));
});
