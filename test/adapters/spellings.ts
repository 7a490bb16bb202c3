// Every way in which the agents spell a tool call, of this and of earlier versions, and what it means.
import type { Tool } from "../../src/session/session.ts";

/** The agent's name for the tool, its arguments, the universal tool and its arguments. */
export type Spelling = readonly [string, Record<string, unknown>, Tool, Record<string, unknown>];

/** Where the session is; a command that names it needs no other folder. */
export const CWD = "/home/dev/project";
const path = `${CWD}/src/a b.ts`;
const url = "https://example.org/a";
const edits = [
  { old: "one", new: "1" },
  { old: "zwei", new: "2", all: true },
];
const items = [
  { text: "first", status: "completed" },
  { text: "läuft", status: "in_progress" },
  { text: "last", status: "pending" },
];
const options = [
  { label: "A", description: "the first" },
  { label: "B", description: "the second" },
];
const asked = { question: "Which?", header: "Pick", options };
const patch = [
  "*** Begin Patch",
  "*** Add File: new.txt",
  "+hello",
  "*** Delete File: old.txt",
  "*** Update File: a.txt",
  "*** Move to: b.txt",
  "@@",
  " before",
  "-two",
  "+2",
  "*** End Patch",
].join("\n");
const changes = [
  { kind: "add", path: "new.txt", content: "hello\n" },
  { kind: "delete", path: "old.txt" },
  { kind: "move", path: "a.txt", to: "b.txt", diff: "@@\n before\n-two\n+2" },
];
const patched = { path: "new.txt", changes, patch };

const claude: Spelling[] = [
  ["Read", { file_path: path, offset: 3, limit: 9 }, "read", { path, offset: 3, limit: 9 }],
  ["NotebookRead", { notebook_path: path }, "read", { path }],
  ["Write", { file_path: path, content: "ünï\r\nno end" }, "write", { path, content: "ünï\r\nno end" }],
  [
    "Edit",
    { file_path: path, old_string: "one", new_string: "1", replace_all: false },
    "edit",
    { path, edits: [edits[0]] },
  ],
  [
    "MultiEdit",
    {
      file_path: path,
      edits: [
        { old_string: "one", new_string: "1" },
        { old_string: "zwei", new_string: "2", replace_all: true },
      ],
    },
    "edit",
    { path, edits },
  ],
  [
    "Bash",
    { command: "ls -la", timeout: 5000, description: "list", run_in_background: true },
    "bash",
    { command: "ls -la", timeout: 5000, description: "list", background: true },
  ],
  [
    "Grep",
    { pattern: "x", path: CWD, glob: "*.ts", output_mode: "files_with_matches", "-i": true, head_limit: 4 },
    "search",
    { pattern: "x", path: CWD, glob: "*.ts", mode: "files", ignoreCase: true, limit: 4 },
  ],
  [
    "Grep",
    { pattern: "x", output_mode: "content", "-A": 1, "-B": 2, "-C": 3 },
    "search",
    { pattern: "x", mode: "content", after: 1, before: 2, context: 3 },
  ],
  ["Grep", { pattern: "x", output_mode: "count" }, "search", { pattern: "x", mode: "count" }],
  ["Glob", { pattern: "**/*.ts", path: CWD }, "glob", { pattern: "**/*.ts", path: CWD }],
  ["LS", { path: CWD, ignore: ["*.o"] }, "list", { path: CWD, ignore: ["*.o"] }],
  [
    "Task",
    { prompt: "go", description: "d", subagent_type: "Explore" },
    "task",
    { prompt: "go", description: "d", agent: "Explore" },
  ],
  ["Agent", { prompt: "go", subagent_type: "Explore" }, "task", { prompt: "go", agent: "Explore" }],
  [
    "AskUserQuestion",
    { questions: [{ ...asked, multiSelect: true }] },
    "ask",
    { questions: [{ ...asked, multiple: true }] },
  ],
  [
    "TodoWrite",
    { todos: items.map(({ text, status }) => ({ content: text, status, activeForm: `${text}…` })) },
    "todo",
    { items: items.map((item) => ({ ...item, activeForm: `${item.text}…` })) },
  ],
  ["WebFetch", { url, prompt: "sum up" }, "web_fetch", { url, prompt: "sum up" }],
  ["WebSearch", { query: "wetter" }, "web_search", { query: "wetter" }],
  ["mcp__jira__get", { key: "X-1", deep: { list: [1] } }, "unknown", { key: "X-1", deep: { list: [1] } }],
  ["Skill", { skill: "s" }, "unknown", { skill: "s" }],
];

const codex: Spelling[] = [
  ["exec_command", { cmd: "ls", workdir: CWD }, "bash", { command: "ls", cwd: CWD }],
  [
    "shell",
    { command: ["bash", "-lc", "ls | wc"], timeout_ms: 5 },
    "bash",
    { command: "ls | wc", timeout: 5 },
  ],
  ["shell_command", { command: "ls" }, "bash", { command: "ls" }],
  ["local_shell", { type: "exec", command: ["ls", "a b"] }, "bash", { command: "ls 'a b'" }],
  ["write_stdin", { session_id: 7, chars: "y" }, "bash", { command: "", session: "7", stdin: "y" }],
  ["apply_patch", { input: patch }, "edit", patched],
  ["read_file", { file_path: path, offset: 2, limit: 3 }, "read", { path, offset: 2, limit: 3 }],
  ["write_file", { path, content: "x" }, "write", { path, content: "x" }],
  ["edit_file", { path, old_string: "one", new_string: "1" }, "edit", { path, edits: [edits[0]] }],
  ["edit_file", { path, edits }, "edit", { path, edits }],
  ["grep", { pattern: "x", path: CWD, glob: "*.ts" }, "search", { pattern: "x", path: CWD, glob: "*.ts" }],
  [
    "grep_files",
    { pattern: "x", include: "*.ts", limit: 4 },
    "search",
    { pattern: "x", glob: "*.ts", limit: 4 },
  ],
  ["glob", { pattern: "*.ts" }, "glob", { pattern: "*.ts" }],
  ["ls", { path: CWD }, "list", { path: CWD }],
  ["list_dir", { dir_path: CWD }, "list", { path: CWD }],
  ["ask", { question: "Which?" }, "ask", { questions: [{ question: "Which?" }] }],
  [
    "request_user_input",
    { questions: [{ id: "q", ...asked }] },
    "ask",
    { questions: [{ id: "q", ...asked }] },
  ],
  ["update_plan", { plan: items.map(({ text, status }) => ({ step: text, status })) }, "todo", { items }],
  ["call_agent", { prompt: "go" }, "task", { prompt: "go" }],
  ["multi_agent_v1.spawn_agent", { message: "go", agent_type: "x" }, "task", { prompt: "go", agent: "x" }],
  ["web_search", { query: "wetter" }, "web_search", { query: "wetter" }],
  ["web_fetch", { url }, "web_fetch", { url }],
  ["mcp__jira__get", { key: "X-1" }, "unknown", { key: "X-1" }],
];

const gemini: Spelling[] = [
  ["read_file", { file_path: path, start_line: 3, end_line: 11 }, "read", { path, offset: 3, limit: 9 }],
  ["read_file", { absolute_path: path }, "read", { path }],
  ["write_file", { file_path: path, content: "x" }, "write", { path, content: "x" }],
  ["replace", { file_path: path, old_string: "one", new_string: "1" }, "edit", { path, edits: [edits[0]] }],
  [
    "replace",
    { file_path: path, old_string: "zwei", new_string: "2", allow_multiple: true },
    "edit",
    { path, edits: [edits[1]] },
  ],
  [
    "run_shell_command",
    { command: "ls", description: "list", dir_path: CWD },
    "bash",
    { command: "ls", description: "list", cwd: CWD },
  ],
  ["run_shell_command", { command: "ls", is_background: true }, "bash", { command: "ls", background: true }],
  [
    "grep_search",
    { pattern: "x", dir_path: CWD, include_pattern: "*.ts", names_only: true, total_max_matches: 4 },
    "search",
    { pattern: "x", path: CWD, glob: "*.ts", mode: "files", limit: 4 },
  ],
  ["grep_search", { pattern: "x", after: 1, before: 2 }, "search", { pattern: "x", after: 1, before: 2 }],
  ["search_file_content", { pattern: "x", include: "*.ts" }, "search", { pattern: "x", glob: "*.ts" }],
  ["glob", { pattern: "*.ts", dir_path: CWD }, "glob", { pattern: "*.ts", path: CWD }],
  ["list_directory", { dir_path: CWD, ignore: ["*.o"] }, "list", { path: CWD, ignore: ["*.o"] }],
  [
    "ask_user",
    { questions: [{ ...asked, multiSelect: true }] },
    "ask",
    { questions: [{ ...asked, multiple: true }] },
  ],
  [
    "write_todos",
    { todos: items.map(({ text, status }) => ({ description: text, status })) },
    "todo",
    { items },
  ],
  ["invoke_agent", { agent_name: "x", prompt: "go" }, "task", { prompt: "go", agent: "x" }],
  ["web_fetch", { prompt: `sum up ${url}` }, "web_fetch", { url, prompt: `sum up ${url}` }],
  ["web_fetch", { prompt: `sum up ${url}, briefly` }, "web_fetch", { url, prompt: `sum up ${url}, briefly` }],
  [
    "replace",
    { file_path: path, old_string: "zwei", new_string: "2", expected_replacements: 2 },
    "edit",
    { path, edits: [edits[1]], expected_replacements: 2 },
  ],
  ["google_web_search", { query: "wetter" }, "web_search", { query: "wetter" }],
  ["mcp_jira_get", { key: "X-1" }, "unknown", { key: "X-1" }],
  ["save_memory", { fact: "f" }, "unknown", { fact: "f" }],
];

const opencode: Spelling[] = [
  ["read", { filePath: path, offset: 3, limit: 9 }, "read", { path, offset: 3, limit: 9 }],
  ["write", { filePath: path, content: "x" }, "write", { path, content: "x" }],
  ["edit", { filePath: path, oldString: "one", newString: "1" }, "edit", { path, edits: [edits[0]] }],
  [
    "multiedit",
    {
      filePath: path,
      edits: [
        { oldString: "one", newString: "1" },
        { oldString: "zwei", newString: "2", replaceAll: true },
      ],
    },
    "edit",
    { path, edits },
  ],
  ["apply_patch", { patchText: patch }, "edit", patched],
  ["patch", { patchText: patch }, "edit", patched],
  [
    "bash",
    { command: "ls", description: "list", timeout: 5, workdir: CWD },
    "bash",
    { command: "ls", description: "list", timeout: 5, cwd: CWD },
  ],
  ["grep", { pattern: "x", path: CWD, include: "*.ts" }, "search", { pattern: "x", path: CWD, glob: "*.ts" }],
  ["glob", { pattern: "*.ts", path: CWD }, "glob", { pattern: "*.ts", path: CWD }],
  ["list", { path: CWD, ignore: ["*.o"] }, "list", { path: CWD, ignore: ["*.o"] }],
  ["ls", { path: CWD }, "list", { path: CWD }],
  [
    "question",
    { questions: [{ ...asked, multiple: true }] },
    "ask",
    { questions: [{ ...asked, multiple: true }] },
  ],
  ["ask", { questions: [asked] }, "ask", { questions: [asked] }],
  [
    "todowrite",
    { todos: items.map(({ text, status }) => ({ content: text, status, priority: "high" })) },
    "todo",
    { items: items.map((item) => ({ ...item, priority: "high" })) },
  ],
  [
    "task",
    { prompt: "go", description: "d", subagent_type: "x" },
    "task",
    { prompt: "go", description: "d", agent: "x" },
  ],
  ["webfetch", { url }, "web_fetch", { url }],
  ["websearch", { query: "wetter" }, "web_search", { query: "wetter" }],
  ["jira_get", { key: "X-1" }, "unknown", { key: "X-1" }],
];

export const SPELLINGS: Readonly<Record<string, readonly Spelling[]>> = { claude, codex, gemini, opencode };
