// What the fold remembers between records: plain JSON, small.

export interface State {
  /** Of the line before. */
  time: string;
  model: string;
  /** Calls of the last model message that have their results. */
  answered: string[];
  /** Those that had them when a compaction came. */
  before: string[];
  /** Types that were reported as unknown. */
  reported: string[];
}

/** The time of a log that has said none yet. */
export const EPOCH = new Date(0).toISOString();

export function initialState(): State {
  return { time: EPOCH, model: "", answered: [], before: [], reported: [] };
}
