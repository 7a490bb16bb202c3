// A process of its own that switches a session, or takes a switch back, and can be ended before anything that it does to
// the disk. Usage: switch-child.ts HOME '{"action":"switch","from":["claude","ID"],"to":"codex","kill":3}'
import promises, { type FileHandle } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { basename, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { adapters } from "../../src/adapters/index.ts";
import { undo } from "../../src/storage/undo.ts";
import { settleConversations } from "../../src/switch/record.ts";
import { switchOver } from "../../src/switch/switch-over.ts";
import { find, named } from "./world.ts";

export interface SwitchChild {
  action: "switch" | "undo";
  from: readonly [agent: string, id: string];
  to: string;
  /** End before this step, counted from 0, as `kill -9` does. */
  kill?: number;
  /** The same, before the first step whose name ends like this. */
  killAt?: string;
  /** Makes the steps whose names match this fail with this error of the system. */
  fail?: { step: string; code: string };
}

/** The last line: names of all steps, or what went wrong. */
export interface SwitchOutcome {
  steps: string[];
  code?: string;
  message?: string;
  hint?: string;
  problems?: string[];
}

const [dir = "", argument = "{}"] = process.argv.slice(2);
const request = JSON.parse(argument) as SwitchChild;
const world = { home: { dir, env: {} }, batonHome: `${dir}/.baton` };
const steps: string[] = [];

/** The folder and the name of a file, without what is random. */
function placeOf(path: unknown): string {
  const text = String(path);
  const name = `${basename(dirname(text))}/${basename(text)}`;
  return name.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|ses_\w+|[0-9a-f]{10}/g, "ID");
}

function step(kind: string, path: unknown): void {
  const name = `${kind} ${placeOf(path)}`;
  steps.push(name);
  const isDue = steps.length - 1 === request.kill || (request.killAt && name.endsWith(request.killAt));
  if (isDue) process.kill(process.pid, "SIGKILL");
  if (request.fail && new RegExp(request.fail.step).test(name)) throw systemError(request.fail.code, path);
}

function systemError(code: string, path: unknown): Error {
  return Object.assign(new Error(code), { code, syscall: "open", path: String(path) });
}

/** Every way in which Baton changes a disk. */
function watch(): void {
  const { open, link, unlink, rename, mkdir, rmdir, copyFile } = promises;
  const before = <Rest extends unknown[], Done>(
    kind: string,
    act: (path: never, ...rest: Rest) => Promise<Done>,
  ) =>
    (async (path: unknown, ...rest: Rest) => {
      step(kind, kind === "link" || kind === "rename" || kind === "copy" ? rest[0] : path);
      return act(path as never, ...rest);
    }) as never;
  Object.assign(promises, {
    link: before("link", link),
    unlink: before("unlink", unlink),
    rename: before("rename", rename),
    mkdir: before("mkdir", mkdir),
    rmdir: before("rmdir", rmdir),
    copyFile: before("copy", copyFile),
    async open(path: string, flags?: string, mode?: number): Promise<FileHandle> {
      if (flags === undefined || flags === "r") return open(path, flags, mode);
      step("open", path);
      const handle = await open(path, flags, mode);
      const write = handle.write.bind(handle) as (...args: unknown[]) => Promise<never>;
      handle.write = ((...args: unknown[]) => {
        step("write", path);
        return write(...args);
      }) as never;
      return handle;
    },
  });
  syncBuiltinESMExports();
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql: string): void {
    const where = this.location() ?? "";
    const isStore = /\.db$/.test(where);
    if (isStore && /^(?:BEGIN|COMMIT)/.test(sql)) step(sql.split(" ")[0]?.toLowerCase() ?? "", where);
    exec.call(this, sql);
    if (isStore && /^COMMIT/.test(sql)) step("committed", where);
  };
}

async function act(): Promise<string[]> {
  const [agent, id] = request.from;
  if (request.action === "undo") {
    watch();
    await undo(world.batonHome);
    return settleConversations(world.batonHome);
  }
  const { ref, source } = await find(world, { agent: named(agent), id });
  watch();
  const to = named(request.to);
  const { problems } = await switchOver({ ...world, source, from: ref, to, adapters, kind: "resume" });
  return problems ?? [];
}

const outcome = await act().then(
  (problems) => (problems.length > 0 ? { problems } : {}),
  ({ code, message, hint }) => ({ code, message, hint }),
);
console.log(JSON.stringify({ ...outcome, steps }));
