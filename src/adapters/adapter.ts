// The contract every agent's adapter fulfils. What an adapter can do shows in which methods exist; what its
// format can hold is data. Nothing outside an adapter's folder knows an agent's files, flags or quirks.
import type { Dirent, Stats } from "node:fs";
import type { Loss } from "../session/losses.ts";
import type { Entry, Header, ToolCall, ToolResult } from "../session/session.ts";
import type { Folded, Source, Stream } from "../session/source.ts";
import type { Change } from "../storage/changes.ts";
import type { NativeRecord } from "../storage/records.ts";
import type { Driver } from "./driver.ts";
import type { OnProblem } from "./folder.ts";
import type { Listing } from "./glance.ts";
import type { Reading } from "./open.ts";

/** Where native stores are looked for. */
export interface Home {
  dir: string;
  /** Variables that move a store (CODEX_HOME …); empty when the user named a home explicitly. */
  env: Readonly<Record<string, string | undefined>>;
  /** Folders that are known as projects, for stores that lie inside them. */
  projects?: readonly string[];
}

export interface FileRef {
  path: string;
  role: "main" | "subagent" | "tool_result" | "parent" | "index";
  size: number;
  mtimeMs: number;
  inode: number;
}

/** A session found in a store, before anything of it was read. */
export interface SessionRef {
  agent: string;
  originalId: string;
  /** The main file. */
  path: string;
  /** Everything that belongs to it: main file first. */
  files: readonly FileRef[];
  /** For a subagent: the original id of the session that spawned it. */
  parent?: string;
  /** A thread inside the main file that is a session of its own. */
  thread?: string;
  /** The name that it was given, where that stands in a file of all sessions and changes without its own. */
  name?: string;
}

/** What whoever looks for sessions wants to hear, and what it knows from the last time. */
export interface Looking {
  onProblem?: OnProblem;
  /** What the main file with this path and inode was known as, so that it need not be looked into again. */
  known?(file: FileRef): Known | undefined;
  /** A database with many sessions as it was when `onDatabase` was last told of it. */
  database?(path: string): KnownDatabase | undefined;
  /** To be kept together with the refs that were found in it, and only with them. */
  onDatabase?(path: string, stamp: string): void;
  /** Everything that is looked at, whose being the same means that the same would be found; undefined = not there. */
  onFolder?(path: string, listed: ListedFolder | undefined): void;
  onFile?(path: string, found: Stats | undefined, at: number): void;
  /** What is found depends on more than that: on who may read a file, or where a link leads. */
  onUnsure?(): void;
}

/** A folder as it was before it was listed, when that was (`at`, as of a file), and what was in it. */
export interface ListedFolder {
  at: number;
  found: Stats;
  entries: readonly Dirent[];
}

export interface Known {
  originalId: string;
  parent?: string | undefined;
  thread?: string | undefined;
  /** Of the file, when this was found. */
  size: number;
}

export interface KnownDatabase {
  stamp: string;
  sessions(): Iterable<SessionRef>;
}

/** Where in a store sessions appear and grow, for whoever watches. */
export interface StoreFolder {
  path: string;
  /** The names of the folders below it that hold sessions as well, level by level. */
  below: readonly RegExp[];
  /** The names of files that say a session has changed; what else is written there says nothing. */
  files: RegExp;
  /** The session's file, as which all of that is told; then only the deepest folders have such files. */
  of?(folder: string): string;
}

/** The incremental reader: plain JSON state, at most 64 KB, changed in place by each record. */
export interface Fold<State> {
  initial(ref: Pick<SessionRef, "path" | "originalId" | "thread">): State;
  step(state: State, record: NativeRecord): Folded[];
  /**
   * Whether the fold only hands on the long texts of this record: it looks at their beginnings, joins them or
   * leaves them out, and nothing else. `value` is the record with references in it (storage/reference.ts).
   */
  passes?(value: unknown): boolean;
  /**
   * The same for records that sessions are full of, in fewer steps: tells the listing and changes the state as far as
   * entries, texts and later records need it. False when only `step` can tell; both take turns.
   */
  glance?(state: State, value: unknown, index: number, listing: Listing): boolean;
}

export interface Target {
  home: Home;
  /** The native id of the session to be written. */
  originalId: string;
  cwd: string;
  /** The model to go on with; absent = the agent's own default. */
  model?: string;
  /** The agent's version, for the fields that record it. */
  version: string;
  /** The installed CLI, for what only the agent itself can do. */
  cli?: string;
  now: Date;
  configuration: Configuration;
  title?: string;
  /** Where files go that the format cannot hold, for a session outside the store; absent = a place in the store. */
  documents?: string;
  /** For a subagent: the native id of its parent in the target, and the call that spawned it. */
  parent?: { originalId: string; callId?: string };
  /** The session of this agent that is gone on with: what is written extends it instead of being a new one. */
  onto?: Onto;
}

/**
 * The stream then holds the new entries only, `originalId` and `cwd` are those of the session, and `pathOf` answers
 * with the file that is there. Ids of calls and messages must be none that the session already has.
 */
export interface Onto {
  /** As it was found: `plan` extends its main file only while inode and size are still these. */
  ref: SessionRef;
  /**
   * The entry that the new ones follow; absent = the newest of the current branch, null = none, a thread of its own
   * in the same file. Only for formats that hold branches; the new branch is then the current one.
   */
  after?: string | null;
}

export interface Keepsakes {
  files: readonly FileRef[];
  /** What stands in a file that is not the session's alone. */
  facts: Readonly<Record<string, string>>;
}

/** A session of which only the archive is left. */
export interface Kept {
  /** As it was when it was found for the last time; `files` with its keepsakes. */
  ref: SessionRef;
  facts: Keepsakes["facts"];
  /** What a file held, or the lines of a session that was none. */
  bytes(file: FileRef): AsyncIterable<Uint8Array>;
  /** The installed CLI. */
  cli?: { version: string; path: string };
  now: Date;
}

/** A record in the target's dialect. */
export interface WrittenRecord {
  type: "record";
  /** Which file of the new bundle: "main", or a name that `plan` understands. */
  file: string;
  bytes: string | Uint8Array;
  /** What the record says, so that reading back can be compared: [entry type, text]. */
  says: readonly (readonly [Entry["type"], string])[];
}

export type Written = WrittenRecord | { type: "loss"; loss: Loss };

export interface Configuration {
  /** The model the user has set as default. */
  model?: string;
  provider?: string;
  /** The model that was used last, which the agent takes where none is set. */
  lastModel?: string;
  /** Tokens that the user has set as the window. */
  window?: number;
  mcpServers: readonly string[];
  /** Files of it that are there and could not be read; what they set is not known. */
  damaged?: readonly string[];
  /** How long the agent keeps sessions, in days; absent = for ever. */
  retentionDays?: number;
  /** How many sessions of a folder it keeps, the newest; absent = any number. */
  retentionCount?: number;
}

/** Whether the CLI could talk to its model, as far as its files and the environment tell without a request. */
export interface Account {
  state: "signed_in" | "signed_out" | "unknown";
  /** What the user types to sign in. */
  login: string;
}

/** A limit that the agent ran into, as its newest sessions tell. */
export interface Limit {
  /** When it is over, as an ISO time; absent = the agent does not say. */
  until?: string;
  /** In the agent's own words. */
  said: string;
}

/** The MCP server that a tool belongs to, and its name there. */
export interface McpTool {
  server: string;
  tool: string;
}

export interface Command {
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
}

export interface ResumeOptions {
  /** Where the session is. */
  home: Home;
  model?: string;
}

/** idle: it waits for a prompt. waiting: it waits for its user in the middle of a turn, an approval mostly. */
export interface Activity {
  state: "busy" | "idle" | "waiting";
  /** In the agent's own words. */
  waitingFor?: string;
}

export interface Translated {
  pairs: readonly { name: string; input: unknown; result: ToolResult | undefined }[];
  losses: readonly Loss[];
}

export interface ListCommand {
  argv: readonly string[];
  stdin?: string;
  /** Whether the answer is all there; the input stays open until then. */
  isComplete?(stdout: string): boolean;
}

/**
 * How to run the real CLI in a private home against a model on loopback. The first word of each command is the
 * program's name; whoever runs it puts the installed CLI's path in its place.
 */
export interface Sandbox {
  /** Files to lay down, relative to the private home. */
  files: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
  /** Resumes a session with one prompt and ends. `was`: what a session of the agent's own was with, to stay with. */
  resume(originalId: string, prompt: string, was?: Header["model"]): readonly string[];
  /** Starts a session with one prompt and ends: what the CLI then says beside the prompt is its own. */
  start(prompt: string, was?: Header["model"]): readonly string[];
  /** Variables besides `env` with which a session of the agent's own stays with what it was with. */
  staying?(was: Header["model"]): Readonly<Record<string, string>>;
  /** Sentences that the CLI itself puts into the model's mouth when it resumes. */
  fillers?: readonly string[];
  /** Lists sessions by the CLI's own means; absent where the CLI has none without a terminal. */
  list?(): ListCommand;
}

/** The light half of an adapter: who it is and where its sessions are. */
export interface Place {
  id: string;
  label: string;
  /** Provider badge: whose colour and name the session carries. */
  badge: string;
  /**
   * Every session in the store, from a directory walk alone. Files that are not sessions are skipped. Synchronous,
   * because a promise for each file would cost more than the walk.
   */
  discover(home: Home, looking?: Looking): Iterable<SessionRef>;
  /** The folders that the agent was used in, as far as it keeps a cheap list of them. */
  projects?(home: Home): Promise<readonly string[]>;
  /** The folders the store lives in, for the doctor and for path confinement. */
  stores(home: Home): readonly string[];
  /** Folders of the store; of a session's own only those in which something changes without its file. */
  watched(home: Home): readonly StoreFolder[];
  /**
   * A session and its subagents as `discover` finds them now, by looking at its own files and folders alone. `ref`: one
   * of them, as it was. Undefined when that is not enough; absent = its files are those that it had.
   */
  renewed?(ref: SessionRef): readonly SessionRef[] | undefined;
}

/** The half of an adapter that reads: all that the catalog needs when something has changed. */
export interface Reader extends Place {
  /** The badge of one session, where a store holds sessions of several providers. */
  badgeOf?(header: Pick<Header, "model">): string;
  /** The vendor whose models this agent runs. */
  provider: string;
  open(ref: SessionRef): Promise<Source>;
  /** How its records are read, for whoever folds them himself. */
  // biome-ignore lint/suspicious/noExplicitAny: each adapter has a state of its own, opaque to everybody else.
  reading(ref: SessionRef): Promise<Reading<any>>;
  // biome-ignore lint/suspicious/noExplicitAny: each adapter has a state of its own, opaque to everybody else.
  fold: Fold<any>;
  /**
   * Whether the session in this file goes on from other files, so that the places of its records count over all of
   * them; absent = none does.
   */
  isSpread?(path: string): Promise<boolean>;
}

export interface Adapter extends Reader {
  /** Which of the loopback's APIs its CLI speaks. */
  api: "anthropic" | "responses" | "chat" | "gemini";
  holds: {
    thinking: "signed" | "plain" | "none";
    images: boolean;
    documents: boolean;
    branches: boolean;
    subagents: boolean;
    models: "per_message" | "per_session";
  };
  /** A ref for a file outside the store, or undefined when it is not this agent's format. */
  recognise(path: string): Promise<SessionRef | undefined>;
  /** The ref with every file that opening it reads; absent where `discover` already names them all. */
  bundle?(ref: SessionRef): Promise<SessionRef>;
  /**
   * For a session that is not a file of its own but rows of a database, or a tree of files: all of it as lines that
   * `open` reads from a file. Undefined = its files are the session.
   */
  lines?(ref: SessionRef): AsyncIterable<readonly NativeRecord[]> | undefined;
  /** What else has to be kept so that its CLI finds the session again once it has deleted it. */
  keepsakes?(ref: SessionRef): Promise<Keepsakes>;
  /** What brings a deleted session back; absent = its files, where they were. */
  restore?(kept: Kept, home: Home): AsyncIterable<Change>;
  /** Translates one call and its result into the agent's own tools. */
  tools(call: ToolCall, result: ToolResult | undefined): Translated;
  /** The session in the agent's dialect. Streams; draining it without applying is the analysis. */
  write?(stream: Stream, target: Target): AsyncIterable<Written>;
  /** Tokens that its CLI uses of a model's window at most, where it has a rule of its own. */
  windowOf?(model: string): number;
  /** The model that its CLI takes where none is set, as measured; absent = the vendor's in the table of models. */
  defaultModel?: string;
  /** Tokens of what its CLI at most tells a model by itself, instructions and tools, as measured; absent = unknown. */
  ownTokens?: number;
  /** What has to happen on disk for the records to be a session that the CLI finds. */
  plan?(records: AsyncIterable<WrittenRecord>, target: Target): AsyncIterable<Change>;
  /** The records as the text of one file for other machines; absent = the files that `plan` makes are that. */
  exchange?(records: AsyncIterable<WrittenRecord>): AsyncIterable<string>;
  /**
   * Whether thinking that bears the signature of `entryModel` can be carried into this agent when it goes on with
   * `targetModel`, which is spelled as the agent spells it; absent = never.
   */
  keepsThinking?(entryModel: string, targetModel: string): boolean;
  /** Puts a copy of a session into another home, as its project there; absent = its files are copied. */
  copy?(ref: SessionRef, to: Home, cwd: string): Promise<SessionRef>;
  /** Where `plan` will put a file of the bundle; absent = the main file. */
  pathOf?(target: Target, file?: string): string;
  /**
   * Whether `write` and `plan` can extend this session (`Target.onto`); absent = none of this agent's. `version`: the
   * installed CLI's.
   */
  canExtend?(ref: SessionRef, version?: string): Promise<boolean>;
  /** Whether the user went back in it and has not gone on: where that keeps it from being extended. */
  isTakenBack?(ref: SessionRef): boolean;
  newId?(): string;
  /** Whether today's CLI finds a session that lies in its store; absent = all of them. */
  isResumable?(ref: SessionRef): boolean;
  /** Its CLI finds a session only from the folder that the session belongs to. */
  isBoundToFolder?: true;
  resumeCommand?(originalId: string, header: Pick<Header, "project">, options: ResumeOptions): Command;
  /** The installed CLI, or undefined. */
  version(home: Home): Promise<{ version: string; path: string } | undefined>;
  /** What else the doctor should say of this agent's stores, in sentences; `version`: the installed CLI's. */
  remarks?(home: Home, version?: string): Promise<readonly string[]>;
  /** Versions whose write-back a real run has proven. */
  proven: readonly string[];
  /** Whether a running agent holds this session. */
  isLive(ref: SessionRef): Promise<boolean>;
  /** Asked once for all sessions: which of them it is worth asking `isLive` of; absent = any, because that costs little. */
  mayBeLive?(home: Home): Promise<(ref: SessionRef) => boolean>;
  /** What a running agent says it does with this session; absent, or undefined = the store does not say. */
  activity?(ref: SessionRef): Promise<Activity | undefined>;
  /** `project`: the folder that the session belongs to, which may have settings of its own. */
  configuration(home: Home, project?: string): Promise<Configuration>;
  /** Absent = this agent has no account of its own. */
  account?(home: Home): Promise<Account>;
  /** A limit of the account that is not over at `now`; undefined = none is known. Absent = its store never tells. */
  limit?(home: Home, now: Date): Promise<Limit | undefined>;
  /** By the tool's name in this agent's sessions; `servers`: those that the agent has. Absent = `mcp__server__tool`. */
  mcpTool?(name: string, servers: readonly string[]): McpTool | undefined;
  /**
   * When the agent's clean-up takes a session to have been used last, in milliseconds; undefined = it deletes it at the
   * next start, however new it is. Absent = when its main file changed.
   */
  lastUsed?(ref: SessionRef): Promise<number | undefined>;
  sandbox?(home: string, port: number): Sandbox;
  /** Runs the agent live; absent = it has no program that could be. */
  // biome-ignore lint/suspicious/noExplicitAny: each driver has a state of its own, opaque to everybody else.
  run?: Driver<any>;
}
