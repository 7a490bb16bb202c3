// `toolUseResult`: what the CLI keeps beside a result to show it to its user. The model never sees it.
import type { ToolResult } from "../../session/session.ts";
import { type Json, text } from "./native.ts";
import { structuredPatch } from "./structured-patch.ts";

export function displayed(name: string, input: Json, result: ToolResult): unknown {
  const output = shortened(result.output);
  if (!result.success) return `Error: ${output}`;
  const show = Object.hasOwn(SHOWN, name) ? SHOWN[name] : undefined;
  return show ? show(input, { ...result, output }) : output;
}

const LONGEST = 1000;

/** The terminal folds long outputs away; the whole text stands in the result itself. */
function shortened(output: string): string {
  return output.length <= LONGEST ? output : `${output.slice(0, LONGEST)}…`;
}

const SHOWN: Readonly<Record<string, (input: Json, result: ToolResult) => unknown>> = {
  Bash: (_, { output, interrupted }) => ({
    stdout: output,
    stderr: "",
    interrupted: interrupted === true,
    isImage: false,
  }),
  Read(input, { output }) {
    const lines = output.split("\n").length;
    const startLine = typeof input.offset === "number" ? input.offset : 1;
    const filePath = text(input.file_path) ?? "";
    return {
      type: "text",
      file: { filePath, content: output, numLines: lines, startLine, totalLines: lines },
    };
  },
  Write: (input) => ({
    type: "create",
    filePath: text(input.file_path) ?? "",
    content: text(input.content) ?? "",
    structuredPatch: [],
    originalFile: null,
  }),
  Edit(input) {
    const edit = { old: text(input.old_string) ?? "", new: text(input.new_string) ?? "" };
    return {
      filePath: text(input.file_path) ?? "",
      oldString: edit.old,
      newString: edit.new,
      originalFile: null,
      structuredPatch: structuredPatch(edit),
      userModified: false,
      replaceAll: input.replace_all === true,
    };
  },
  Grep: (_, { output }) => ({
    mode: "content",
    filenames: [],
    content: output,
    numFiles: 0,
    numLines: output.split("\n").length,
  }),
  Glob: (_, { output }) => {
    const filenames = output === "" ? [] : output.split("\n");
    return { filenames, durationMs: 0, numFiles: filenames.length, truncated: false };
  },
};
