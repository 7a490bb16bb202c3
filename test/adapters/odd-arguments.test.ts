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
