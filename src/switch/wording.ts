// Numbers and names as the sentences of an analysis say them.

export function amount(value: number): string {
  return Math.round(value).toLocaleString("en");
}

export function counted(count: number, one: string, several = `${one}s`): string {
  return `${amount(count)} ${count === 1 ? one : several}`;
}

/** A number of tokens as vendors write their windows: 128K, 1M. */
export function windowText(tokens: number): string {
  if (tokens < 1000) return String(tokens);
  if (tokens < 950_000) return `${Math.round(tokens / 1000)}K`;
  // A window of 2^20 is said to be one million.
  return `${Number((tokens / 1e6).toFixed(tokens < 1.05e6 ? 0 : 2))}M`;
}

/** Of what does not fit. */
export function tooMany(tokens: number, window: number): string {
  return `${amount(tokens)} tokens → more than 80 % of ${windowText(window)}.`;
}

/** How long it takes until then, in the two units that matter. */
export function wait(until: string, now: Date): string {
  const minutes = Math.max(1, Math.ceil((Date.parse(until) - now.getTime()) / 60_000));
  const [days, hours] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60)];
  if (days > 0) return `${counted(days, "day")} ${hours} h`;
  return hours > 0 ? `${hours} h ${minutes % 60} min` : `${minutes} min`;
}
