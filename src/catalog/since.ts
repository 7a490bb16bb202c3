// A moment as people name it: a date, or how long ago.

const UNITS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** A date, or 30m, 12h, 3d, 2w ago; undefined when it is neither. */
export function sinceOf(text: string, now = Date.now()): Date | undefined {
  const relative = /^(\d+)([mhdw])$/.exec(text);
  // A day begins where the user is.
  const isDay = /^\d{4}-\d\d-\d\d$/.test(text);
  const time = relative
    ? new Date(now - Number(relative[1]) * UNITS[relative[2] as keyof typeof UNITS])
    : new Date(isDay ? `${text}T00:00` : text);
  return Number.isNaN(time.getTime()) ? undefined : time;
}
