// A place to pick sessions in: the fixtures' stores with a project folder that is really there, and a terminal.
import { mkdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openTerminal, type Terminal } from "../../terminal.ts";
import { files, newPlace, type Place } from "../transcript.ts";

export interface PickerPlace extends Place {
  shop: string;
  start(size?: { columns?: number; rows?: number }, env?: NodeJS.ProcessEnv, command?: string): Terminal;
}

export function newPickerPlace(): PickerPlace {
  const place = newPlace();
  const shop = join(place.root, "shop");
  mkdirSync(shop);
  for (const path of files(place.home)) moveProject(path, shop);
  const started: Terminal[] = [];
  return {
    ...place,
    shop,
    start(size = {}, env = {}, command = "baton") {
      const terminal = openTerminal("/bin/sh", ["-c", `exec ${command}`], {
        cwd: join(place.root, "work"),
        env: { ...place.env, ...env },
        ...size,
      });
      started.push(terminal);
      return terminal;
    },
    remove() {
      for (const terminal of started) void terminal.close();
      place.remove();
    },
  };
}

/** A session is as old as its file. */
function moveProject(path: string, shop: string): void {
  const { atime, mtime } = statSync(path);
  writeFileSync(path, readFileSync(path, "utf8").replaceAll("/home/me/shop", shop));
  utimesSync(path, atime, mtime);
}

export const KEY = {
  enter: "\r",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  pageDown: "\u001b[6~",
  end: "\u001b[F",
  home: "\u001b[H",
  tab: "\t",
  backspace: "\u007f",
  interrupt: "\u0003",
  suspend: "\u001a",
};
