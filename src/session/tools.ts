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
  read: { path: string; offset?: number; limit?: number };
  write: { path: string; content: string };
  /** Either `edits` in one file, or `changes`, the files of a patch, with the patch text as it was given. */
  edit: { path: string; edits?: Edit[]; changes?: FileChange[]; patch?: string };
  /** `command` is shell text. `session` names a running process that `stdin` is written to. */
  bash: {
    command: string;
    cwd?: string;
    timeout?: number;
    background?: boolean;
    description?: string;
    session?: string;
    stdin?: string;
  };
  search: { pattern: string; path?: string; glob?: string };
  glob: { pattern: string; path?: string };
  list: { path: string };
  ask: { questions: unknown };
  task: { prompt: string; description?: string; agent?: string };
  web_fetch: { url: string; prompt?: string };
  web_search: { query: string };
  /** The whole list, as it stands after the call. */
  todo: { items: TodoItem[] };
}

export interface TodoItem {
  text: string;
  status: "pending" | "in_progress" | "completed" | "cancelled";
}
