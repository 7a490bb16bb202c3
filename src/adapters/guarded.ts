// How a CLI is started under its guard (guard.ts), and how the two understand each other.
import type { ChildProcess } from "node:child_process";
import { extname, join } from "node:path";
import type { Duplex } from "node:stream";

export interface Bridge {
  /** Where the loopback model's port is carried across a network namespace from. */
  socket: string;
  port: number;
}

export function guarded(argv: readonly string[], bridge?: Bridge): string[] {
  const guard = join(import.meta.dirname, `guard${extname(import.meta.filename)}`);
  return [process.execPath, guard, bridge?.socket ?? "-", String(bridge?.port ?? 0), ...argv];
}

export interface Lifeline {
  /** What the CLI has ended with; null = its guard has not told, whose own end then says it. */
  status(): number | null;
  /** The guard is to end the CLI. */
  end(): void;
  /** Nothing more is wanted of it. */
  release(): void;
}

/** The fourth descriptor of a guard that was started with a pipe there. */
export function lifelineOf(guard: ChildProcess): Lifeline {
  // Where no descriptor is left there are no pipes at all.
  const socket = guard.stdio?.[3] as Duplex | undefined;
  let told = "";
  socket?.on("data", (chunk: Buffer) => {
    told += chunk.toString();
  });
  // It breaks when the guard ends, which its exit is about.
  socket?.on("error", () => undefined);
  return {
    status: () => (told === "" ? null : Number(told)),
    // Nothing is written: by a write to a guard that has just ended, what it has told would be lost.
    end: () => void socket?.end(),
    release: () => void socket?.destroy(),
  };
}
