// Watches the folders of stores that are there, and notices when others appear or go.
import { readdirSync, type Stats, statSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { StoreFolder } from "../adapters/adapter.ts";

export interface FolderWatch {
  /** Brings the watch up to date with the folders there are; false when not all of them can be watched. */
  look(): boolean;
  close(): void;
}

/** More events than this at once, and the system may have left some out. */
const MANY = 10_000;

/** `onChange` is told the file, unless more than a file may have changed. */
export function newFolderWatch(
  stores: readonly StoreFolder[],
  onChange: (file?: string) => void,
): FolderWatch {
  const watched = new Map<string, Watched>();
  const isAnother = newMemory();
  let events = 0;
  let isCurrent = false;

  function happened(path: string, type: string, name: string | null): void {
    const here = watched.get(path);
    if (!here) return;
    events++;
    const isAboutFolders = name === null || (type === "rename" && concernsFolders(path, name, here, watched));
    if (isAboutFolders) isCurrent = false;
    const about = isAboutFolders ? undefined : here.files.find(({ files }) => files.test(name));
    if (isAboutFolders || events > MANY) onChange();
    else if (about && isAnother(join(path, name))) onChange(about.of?.(path) ?? join(path, name));
  }

  return {
    look() {
      if (!isCurrent || events > MANY) isCurrent = update(watched, stores, happened);
      events = 0;
      return isCurrent;
    },
    close() {
      for (const { close } of watched.values()) close();
      watched.clear();
    },
  };
}

/** What is hoped for in a folder: files, and folders that are watched as well. */
interface Hope {
  inode: number;
  files: Pick<StoreFolder, "files" | "of">[];
  folders: RegExp[];
}

interface Watched extends Hope {
  close(): void;
}

function concernsFolders(path: string, name: string, { folders }: Hope, all: Map<string, Watched>): boolean {
  // A folder that is gone is told under its own name.
  if (name === basename(path) && inodeOf(path) === undefined) return true;
  const inside = join(path, name);
  return folders.some((one) => one.test(name)) && (all.has(inside) || inodeOf(inside) !== undefined);
}

/** What is kept of files that changed, so that it stays small. */
const LONGEST_MEMORY = 1000;

/** Whether a file is another than the last time: who reads a database touches its log, and would never come to an end. */
function newMemory(): (path: string) => boolean {
  const stamps = new Map<string, string>();
  return (path) => {
    const found = statAt(path);
    const stamp = found ? `${found.size} ${found.mtimeMs} ${found.ino}` : "";
    if (stamps.get(path) === stamp) return false;
    if (stamps.size >= LONGEST_MEMORY) stamps.clear();
    stamps.set(path, stamp);
    return true;
  };
}

type OnEvent = (path: string, type: string, name: string | null) => void;

/** False when the system allows no more. */
function update(watched: Map<string, Watched>, stores: readonly StoreFolder[], onEvent: OnEvent): boolean {
  // What appears in a folder before it is watched is not told, so folders are listed again once they are.
  for (let isSettled = false; !isSettled; ) {
    isSettled = true;
    const hopes = hopesOf(stores);
    for (const [path, { inode, close }] of watched)
      if (hopes.get(path)?.inode !== inode) {
        close();
        watched.delete(path);
      }
    for (const [path, hope] of hopes) {
      const known = watched.get(path);
      if (known) Object.assign(known, hope);
      else {
        const opened = open(path, hope, onEvent);
        if (opened === "full") return false;
        if (opened) watched.set(path, opened);
        isSettled &&= opened === undefined;
      }
    }
  }
  return true;
}

function open(path: string, hope: Hope, onEvent: OnEvent): Watched | "full" | undefined {
  try {
    const watcher = watch(path, (type, name) => onEvent(path, type, name));
    watcher.on("error", () => onEvent(path, "rename", null));
    return { ...hope, close: () => watcher.close() };
  } catch (error) {
    // A folder that went away or may not be read has nothing to tell.
    const { code = "" } = error as NodeJS.ErrnoException;
    return ["ENOENT", "ENOTDIR", "EACCES", "EPERM"].includes(code) ? undefined : "full";
  }
}

/** The folders to watch, of those that are there now. */
function hopesOf(stores: readonly StoreFolder[]): Map<string, Hope> {
  const hopes = new Map<string, Hope>();
  for (const store of stores) {
    descend(store.path, store.below, store, hopes);
    awaitFolder(store.path, hopes);
  }
  return hopes;
}

function descend(path: string, below: readonly RegExp[], store: StoreFolder, hopes: Map<string, Hope>): void {
  const [next, ...rest] = below;
  const isFor = next === undefined || store.of === undefined;
  if (!hope(path, isFor ? [store] : [], next ? [next] : [], hopes) || !next) return;
  for (const name of foldersIn(path)) if (next.test(name)) descend(join(path, name), rest, store, hopes);
}

/** The nearest folder above that is there: a store may appear, or be moved away with the folder it lies in. */
function awaitFolder(path: string, hopes: Map<string, Hope>): void {
  const above = dirname(path);
  if (above === path) return;
  const name = new RegExp(`^${basename(path).replace(/[^\w]/g, "\\$&")}$`);
  if (!hope(above, [], [name], hopes)) awaitFolder(above, hopes);
}

/** False where there is no such folder. */
function hope(path: string, files: Hope["files"], folders: RegExp[], hopes: Map<string, Hope>): boolean {
  const known = hopes.get(path);
  const inode = known?.inode ?? inodeOf(path);
  if (inode === undefined) return false;
  const [others, below] = [known?.files ?? [], known?.folders ?? []];
  hopes.set(path, { inode, files: [...others, ...files], folders: [...below, ...folders] });
  return true;
}

/** Of a folder; undefined where there is none. */
function inodeOf(path: string): number | undefined {
  const found = statAt(path);
  return found?.isDirectory() ? found.ino : undefined;
}

function statAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // Behind a folder that may not be looked into, which finding sessions tells.
    return undefined;
  }
}

function foldersIn(path: string): string[] {
  try {
    return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
      const isFolder =
        entry.isDirectory() || (entry.isSymbolicLink() && inodeOf(join(path, entry.name)) !== undefined);
      return isFolder ? [entry.name] : [];
    });
  } catch {
    // Gone meanwhile, or not to be read, which finding sessions tells.
    return [];
  }
}
