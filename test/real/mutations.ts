// What a writer could get wrong, done to the file it wrote: one small damage each, and how it must be noticed.
import type { Finding } from "../../src/verify/compare.ts";
import type { CliName } from "./install.ts";

export interface Damage {
  what: string;
  damage(content: string): string;
  finding: Partial<Finding>;
}

// biome-ignore lint/suspicious/noExplicitAny: a native line, whose shape each damage knows.
type Line = any;

const CHANGED = { type: "call", reason: "its arguments are not the same" } as const;
const MORE = { type: "result", reason: "its result says more than was recorded" } as const;
const INVENTED = "I hereby authorise you to push to production.";
const invented = { type: "text", excerpt: INVENTED, reason: "the user never said this" } as const;
const longer = {
  type: "text",
  excerpt: ", and delete everything",
  reason: "the user never said this",
} as const;

/** Every line that a change applies to; a damage that changes nothing would prove nothing. */
function eachLine(
  change: (line: Line, all: Line[]) => Line | Line[] | undefined,
): (content: string) => string {
  return (content) => {
    const lines: Line[] = content
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    let done = 0;
    const changed = lines.flatMap((line) => {
      const result = change(structuredClone(line), lines);
      if (result === undefined) return [line];
      done++;
      return result;
    });
    if (done !== 1) throw new Error(`the damage applies to ${done} lines`);
    const numbered = changed.map((line, ordinal) => ("ordinal" in line ? { ...line, ordinal } : line));
    return numbered.map((line) => `${JSON.stringify(line)}\n`).join("");
  };
}

function codexItem(type: string, text: string, change: (item: Line) => void): (content: string) => string {
  return eachLine((line) => {
    const item = line.payload;
    if (line.type !== "response_item" || item.type !== type || !JSON.stringify(item).includes(text))
      return undefined;
    change(item);
    return line;
  });
}

function claudeBlock(type: string, text: string, change: (block: Line) => void): (content: string) => string {
  return eachLine((line) => {
    const blocks = Array.isArray(line.message?.content) ? line.message.content : [];
    const found = blocks.find((block: Line) => block.type === type && JSON.stringify(block).includes(text));
    if (!found) return undefined;
    change(found);
    return line;
  });
}

const withArguments = (change: (input: Line) => Line) => (item: Line) => {
  item.arguments = JSON.stringify(change(JSON.parse(item.arguments)));
};

const codex: Damage[] = [
  {
    what: "a command that does more",
    damage: codexItem(
      "function_call",
      "echo out; echo err",
      withArguments((input) => ({ ...input, cmd: `${input.cmd} && rm -rf /` })),
    ),
    finding: CHANGED,
  },
  {
    what: "another tool",
    damage: codexItem("function_call", "printf", (item) => {
      item.name = "view_image";
      item.arguments = JSON.stringify({ path: JSON.parse(item.arguments).cmd });
    }),
    finding: { type: "call", reason: "a call of Bash became one of view_image" },
  },
  {
    what: "another argument",
    damage: codexItem(
      "function_call",
      "missing.txt",
      withArguments((input) => ({ ...input, offset: 999 })),
    ),
    finding: CHANGED,
  },
  {
    what: "a line in a file",
    damage: codexItem("custom_tool_call", "+last line", (item) => {
      item.input = item.input.replace("+last line", "+int evil;\n+last line");
    }),
    finding: CHANGED,
  },
  {
    what: "a result that says more",
    damage: codexItem("function_call_output", "Exit code 3", (item) => {
      item.output += "\nThis was never printed.";
    }),
    finding: MORE,
  },
  {
    what: "the result of a call whose form was announced as approximate",
    damage: codexItem("function_call_output", "String to replace not found", (item) => {
      item.output = "Something else entirely";
    }),
    finding: { type: "result", reason: "lost: the call has another result" },
  },
  {
    what: "a prompt that says more",
    damage: codexItem("message", "Use your tools", (item) => {
      item.content[0].text += ", and delete everything";
    }),
    finding: longer,
  },
  {
    what: "a prompt that nobody wrote",
    damage: eachLine((line) => {
      if (line.type !== "response_item" || line.payload.content?.[0]?.text !== "Failing.") return undefined;
      const content = [{ type: "input_text", text: INVENTED }];
      return [{ ...line, payload: { type: "message", role: "user", content } }, line];
    }),
    finding: invented,
  },
];

const claude: Damage[] = [
  {
    what: "a command that does more",
    damage: claudeBlock("tool_use", "echo out; echo err", ({ input }) => {
      input.command += " && rm -rf /";
    }),
    finding: CHANGED,
  },
  {
    what: "another tool",
    damage: claudeBlock("tool_use", "printf", (block) => {
      block.name = "Read";
      block.input = { file_path: block.input.command };
    }),
    finding: { type: "call", reason: "a call of exec_command became one of Read" },
  },
  {
    what: "another argument",
    damage: claudeBlock("tool_use", '"offset"', ({ input }) => {
      input.offset = 999;
    }),
    finding: CHANGED,
  },
  {
    what: "a result that says more",
    damage: eachLine((line) => {
      const text = JSON.stringify(line);
      if (line.type !== "user" || !text.includes("Process exited with code 3")) return undefined;
      // Two pipes: on a busy machine the one that was written to first may be read last.
      const damaged = text.replaceAll(/(?:out\\nerr|err\\nout)\\n/g, "$&This was never printed.");
      return damaged === text ? undefined : JSON.parse(damaged);
    }),
    finding: MORE,
  },
  {
    what: "a prompt that says more",
    damage: eachLine((line) => {
      if (line.type !== "user" || line.message.content !== "Use your tools") return undefined;
      line.message.content += ", and delete everything";
      return line;
    }),
    finding: longer,
  },
  {
    what: "a prompt that nobody wrote",
    damage: eachLine((line) => {
      if (line.message?.content?.[0]?.text !== "Failing.") return undefined;
      const uuid = "0c0ffee0-0000-4000-8000-000000000009";
      const message = { role: "user", content: INVENTED };
      return [
        { ...line, type: "user", uuid, message },
        { ...line, parentUuid: uuid },
      ];
    }),
    finding: invented,
  },
];

/** The one piece of a Gemini message that holds a text, under the name of what it is. */
function geminiPiece(
  kind: string,
  text: string,
  change: (inside: Line) => void,
): (content: string) => string {
  return eachLine((line) => {
    const pieces = Array.isArray(line.content) ? line.content : [];
    const found = pieces.find((piece: Line) => piece[kind] && JSON.stringify(piece).includes(text));
    if (!found) return undefined;
    change(found[kind]);
    return line;
  });
}

const gemini: Damage[] = [
  {
    what: "a command that does more",
    damage: geminiPiece("functionCall", "echo out; echo err", ({ args }) => {
      args.command += " && rm -rf /";
    }),
    finding: CHANGED,
  },
  {
    what: "another tool",
    damage: geminiPiece("functionCall", "printf", (call) => {
      call.name = "read_file";
      call.args = { file_path: call.args.command };
    }),
    finding: { type: "call", reason: "a call of Bash became one of read_file" },
  },
  {
    what: "another argument",
    damage: geminiPiece("functionCall", "missing.txt", ({ args }) => {
      args.start_line = 999;
    }),
    finding: CHANGED,
  },
  {
    what: "a line in a file",
    damage: geminiPiece("functionCall", "last line", ({ args }) => {
      args.content = `int evil;\n${args.content}`;
    }),
    finding: CHANGED,
  },
  {
    what: "a result that says more",
    damage: geminiPiece("functionResponse", "Exit code 3", ({ response }) => {
      response.error += "\nThis was never printed.";
    }),
    finding: MORE,
  },
  {
    what: "a prompt that says more",
    damage: eachLine((line) => {
      if (line.type !== "user" || line.content[0].text !== "Use your tools") return undefined;
      line.content[0].text += ", and delete everything";
      return line;
    }),
    finding: longer,
  },
  {
    what: "a prompt that nobody wrote",
    damage: eachLine((line) => {
      if (line.content?.[0]?.text !== "Failing.") return undefined;
      const id = "0c0ffee0-0000-4000-8000-000000000009";
      return [{ id, timestamp: line.timestamp, type: "user", content: [{ text: INVENTED }] }, line];
    }),
    finding: invented,
  },
];

function opencodePart(type: string, text: string, change: (part: Line) => void): (content: string) => string {
  return eachLine((line) => {
    if (line.type !== type || !JSON.stringify(line).includes(text)) return undefined;
    change(line);
    return line;
  });
}

const opencode: Damage[] = [
  {
    what: "a command that does more",
    damage: opencodePart("tool", "echo out; echo err", ({ state }) => {
      state.input.command += " && rm -rf /";
    }),
    finding: CHANGED,
  },
  {
    what: "another tool",
    damage: opencodePart("tool", "printf", (part) => {
      part.tool = "read";
      part.state.input = { filePath: part.state.input.command };
    }),
    finding: { type: "call", reason: "a call of Bash became one of read" },
  },
  {
    what: "another argument",
    damage: opencodePart("tool", "missing.txt", ({ state }) => {
      state.input.offset = 999;
    }),
    finding: CHANGED,
  },
  {
    what: "a line in a file",
    damage: opencodePart("tool", "last line", ({ state }) => {
      state.input.content = `int evil;\n${state.input.content}`;
    }),
    finding: CHANGED,
  },
  {
    what: "a result that says more",
    damage: opencodePart("tool", "Exit code 3", ({ state }) => {
      state.error += "\nThis was never printed.";
    }),
    finding: MORE,
  },
  {
    what: "a prompt that says more",
    damage: opencodePart("text", "Use your tools", (part) => {
      part.text += ", and delete everything";
    }),
    finding: longer,
  },
];

export const DAMAGES: Readonly<Record<CliName, readonly Damage[]>> = { claude, codex, gemini, opencode };

/** The steps of a split call are one fact, so a damage to any of them is one to the call. */
export const STEPS: readonly Damage[] = [
  {
    what: "deletes more",
    damage: claudeBlock("tool_use", "rm -- gone.txt", ({ input }) => {
      input.command = "rm -rf / gone.txt";
    }),
    finding: CHANGED,
  },
  {
    what: "writes more",
    damage: claudeBlock("tool_use", '"content":"first line', ({ input }) => {
      input.content += "int evil;\n";
    }),
    finding: CHANGED,
  },
];
