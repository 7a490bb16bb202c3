// A time in the past as people give it: a date, or how long ago.
import { InvalidArgumentError } from "commander";

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export function sinceOf(text: string): Date {
  const relative = /^(\d+)([mhdw])$/.exec(text);
  const time = relative
    ? new Date(Date.now() - Number(relative[1]) * UNITS[relative[2] as keyof typeof UNITS])
    : new Date(text);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError("Give a date, or 30m, 12h, 3d, 2w.");
  return time;
}
