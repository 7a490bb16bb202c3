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
  search: ["grep", "grepfiles", "grepsearch", "search", "searchfilecontent", "ripgrep"],
  glob: ["glob", "globfiles", "find"],
  list: ["list", "ls", "listdir", "listdirectory"],
  ask: ["ask", "askuser", "askuserquestion", "requestuserinput", "question"],
  task: ["task", "agent", "callagent", "invokeagent", "spawnagent"],
  web_fetch: ["webfetch", "fetch"],
  web_search: ["websearch", "googlewebsearch"],
  todo: ["todo", "todowrite", "updateplan", "writetodos"],
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
