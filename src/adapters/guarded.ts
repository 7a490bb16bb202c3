// How a CLI is started under its guard (guard.ts).
import { extname, join } from "node:path";

export interface Bridge {
  /** Where the loopback model's port is carried across a network namespace from. */
  socket: string;
  port: number;
}

export function guarded(argv: readonly string[], bridge?: Bridge): string[] {
  const guard = join(import.meta.dirname, `guard${extname(import.meta.filename)}`);
  return [process.execPath, guard, bridge?.socket ?? "-", String(bridge?.port ?? 0), ...argv];
}
