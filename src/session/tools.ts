// The tool vocabulary: what each universal tool's arguments are called. Adapters translate to and from these
// names; nothing else in Baton knows a native argument. Unknown extra arguments may stand beside them.

export interface Edit {
  old: string;
  new: string;
  /** Replace every occurrence. */
  all?: boolean;
}

export interface FileChange {
  kind: "add" | "update" | "delete" | "move";
  path: string;
  /** Where a moved file went. */
  to?: string;
  /** The whole content of an added file. */
  content?: string;
  /** Unified-diff hunks of an update, without file headers. */
  diff?: string;
}

export interface ToolInputs {
  /** `offset` is the first line, counted from 1; `limit` the number of lines. */
  read: { path: string; offset?: number; limit?: number };
  write: { path: string; content: string };
  /** Either `edits` in one file, or `changes`, the files of a patch, with the patch text as it was given. */
  edit: { path: string; edits?: Edit[]; changes?: FileChange[]; patch?: string };
  /** `command` is shell text, `timeout` milliseconds. `session` names a running process that `stdin` goes to. */
  bash: {
    command: string;
    cwd?: string;
    timeout?: number;
    background?: boolean;
    description?: string;
    session?: string;
    stdin?: string;
  };
  /** `glob`: which files are searched. `before`, `after`, `context`: lines around a match. `limit`: of matches. */
  search: {
    pattern: string;
    path?: string;
    glob?: string;
    mode?: "content" | "files" | "count";
    ignoreCase?: boolean;
    before?: number;
    after?: number;
    context?: number;
    limit?: number;
  };
  glob: { pattern: string; path?: string };
  /** `ignore`: patterns of names that are left out. */
  list: { path: string; ignore?: string[] };
  ask: { questions: Question[] };
  task: { prompt: string; description?: string; agent?: string };
  web_fetch: { url: string; prompt?: string };
  web_search: { query: string };
  /** The whole list, as it stands after the call. */
  todo: { items: TodoItem[] };
}

export interface Question {
  question: string;
  /** A short label for it. */
  header?: string;
  options?: { label: string; description?: string }[];
  /** More than one option may be chosen. */
  multiple?: boolean;
}

export interface TodoItem {
  text: string;
  status: "pending" | "in_progress" | "completed" | "cancelled";
}
