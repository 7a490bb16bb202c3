// What every agent's writer needs: chance, the project, a clock, a file that takes lines.
import { closeSync, futimesSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { Planned } from "./plan.ts";
import type { Project } from "./project.ts";
import { generator, type Random, whole } from "./random.ts";

export interface Scene extends Planned {
  home: string;
  random: Random;
  source: Project;
  clock: Clock;
}

export interface Clock {
  now(): number;
  /** The time after a little while. */
  tick(): string;
}

export function makeScene(home: string, planned: Planned, source: Project): Scene {
  const random = generator(7919 * (planned.number + 1));
  // About as long ago as writing that much takes, so that it ends about when it shall.
  let now = planned.ended - Math.round(planned.bytes * 4);
  const clock = {
    now: () => now,
    tick() {
      now += whole(random, 800, 12_000);
      return new Date(now).toISOString();
    },
  };
  return { ...planned, home, random, source, clock };
}

export interface LineFile {
  bytes(): number;
  line(record: object): void;
  text(text: string): void;
  /** Closes it; it was last changed when the clock says so. */
  end(time: number): void;
}

const PIECE = 1 << 20;

export function lineFile(path: string): LineFile {
  mkdirSync(dirname(path), { recursive: true });
  const file = openSync(path, "w", 0o600);
  let held: string[] = [];
  let waiting = 0;
  let written = 0;
  const flush = () => {
    written += writeSync(file, held.join(""));
    held = [];
    waiting = 0;
  };
  const text = (piece: string) => {
    held.push(piece);
    waiting += piece.length;
    if (waiting >= PIECE) flush();
  };
  return {
    bytes: () => written + waiting,
    line: (record) => text(`${JSON.stringify(record)}\n`),
    text,
    end(time) {
      flush();
      futimesSync(file, time / 1000, time / 1000);
      closeSync(file);
    },
  };
}
