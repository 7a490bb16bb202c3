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
  for (const path of files(place.home)) moveProject(path, "/home/me/shop", shop);
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
export function moveProject(path: string, from: string, to: string): void {
  const { atime, mtime } = statSync(path);
  writeFileSync(path, readFileSync(path, "utf8").replaceAll(from, to));
  utimesSync(path, atime, mtime);
}

/** A session of one prompt, newer than the others. */
export function addSession(place: PickerPlace, prompt: string): void {
  const id = "55555555-5555-4555-8555-555555555555";
  const record = {
    sessionId: id,
    cwd: place.shop,
    version: "2.1.325",
    uuid: id,
    parentUuid: null,
    type: "user",
    message: { role: "user", content: prompt },
    timestamp: "2026-01-02T10:00:00.000Z",
  };
  const path = join(place.home, ".claude/projects/-home-me-shop", `${id}.jsonl`);
  writeFileSync(path, `${JSON.stringify(record)}\n`);
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
  eof: "\u0004",
  suspend: "\u001a",
};
