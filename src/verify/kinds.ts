// Which tools are of one kind, whatever an agent calls them. This is the checker's own knowledge: it asks no
// adapter, so a call that a writer turned into something else is seen as such.
import type { Tool, ToolCall } from "../session/session.ts";

/** Names in small letters and digits only; see plain(). */
const NAMES: Readonly<Record<Exclude<Tool, "unknown">, readonly string[]>> = {
  read: ["read", "readfile", "readmanyfiles", "view", "viewimage", "notebookread"],
  write: ["write", "writefile", "createfile"],
  edit: ["edit", "editfile", "multiedit", "applypatch", "patch", "replace", "strreplace"],
  bash: [
    "bash",
    "shell",
    "shellcommand",
    "localshell",
    "execcommand",
    "exec",
    "containerexec",
    "runshellcommand",
    "terminal",
    "writestdin",
  ],
  search: ["grep", "grepfiles", "search", "searchfilecontent", "ripgrep"],
  glob: ["glob", "globfiles", "find"],
  list: ["list", "ls", "listdir", "listdirectory"],
  ask: ["ask", "askuserquestion", "requestuserinput", "question"],
  task: ["task", "agent", "callagent", "spawnagent"],
  web_fetch: ["webfetch", "fetch"],
  web_search: ["websearch", "googlewebsearch"],
  todo: ["todo", "todowrite", "updateplan", "writetodos"],
};

/** The same argument under the names that agents have for it. */
const ARGUMENTS: Readonly<Record<string, string>> = {
  file_path: "path",
  dir_path: "path",
  notebook_path: "path",
  filePath: "path",
  cmd: "command",
  workdir: "cwd",
  working_directory: "cwd",
  timeout_ms: "timeout",
  run_in_background: "background",
  session_id: "session",
  chars: "stdin",
  message: "prompt",
  subagent_type: "agent",
  agent_type: "agent",
  task_name: "description",
  include: "glob",
  old_string: "old",
  new_string: "new",
  replace_all: "all",
};

export function isOfKind(tool: Tool, name: string): boolean {
  return tool !== "unknown" && NAMES[tool].includes(plain(name));
}

/** A tool that keeps its name, apart from the letters that an API does not allow. */
export function isNamed({ originalTool }: Pick<ToolCall, "originalTool">, full: string): boolean {
  if (originalTool === undefined) return false;
  const [wanted, have] = [plain(originalTool), plain(full)];
  if (wanted === have || wanted === `mcp${have}`) return true;
  // APIs limit the length of a name.
  return full.length >= 64 && wanted.startsWith(have);
}

function plain(name: string): string {
  return name.replace(/[^A-Za-z0-9]/g, "").toLowerCase();
}

/** Arguments under the names of the universal vocabulary. */
export function canonical(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.map(([name, value]) => [ARGUMENTS[name] ?? name, value]));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
