// What is said about a model, and how rows of the tables become that.

export type Modality = "text" | "image" | "pdf" | "audio" | "video";

export const MODALITIES: readonly Modality[] = ["text", "image", "pdf", "audio", "video"];

/**
 * How a model's thinking comes back. `signed`: text with a signature that must be sent back unchanged (Claude).
 * `thoughts`: text that anybody can read (Gemini's summaries, open models). `hidden`: sealed, at most a summary is shown
 * (OpenAI). `none`: it does not think apart from its answer.
 */
export type Thinking = "signed" | "thoughts" | "hidden" | "none";

export const THINKINGS: readonly Thinking[] = ["signed", "thoughts", "hidden", "none"];

/** US dollars for a million tokens. */
export interface Prices {
  input: number;
  output: number;
  /** Absent = as `input`. */
  cacheRead?: number;
  /** Kept for five minutes, where a vendor knows several times. Absent = as `input`. */
  cacheWrite?: number;
  /** Kept for an hour. Absent = as `cacheWrite`. */
  cacheWriteHour?: number;
}

export interface Abilities {
  /** Tokens of input and output together. */
  window: number;
  /** Tokens that one reply may have. */
  output: number;
  input: readonly Modality[];
  /** Whether it calls tools. */
  tools: boolean;
  thinking: Thinking;
  /** Whether its vendor keeps prompts that are sent again. */
  caching: boolean;
}

export interface Model extends Abilities {
  id: string;
  name: string;
  /** Who made it, which for open weights is not who serves it. */
  vendor: string;
  prices?: Prices;
}

type Row = readonly [id: string, name: string, window: number, output: number, prices?: Prices];

/** What the rows of a table share; where nothing is said, a model calls tools. */
export type Common = Pick<Model, "vendor" | "input" | "thinking" | "caching"> & { tools?: boolean };

export function rows({ tools = true, ...common }: Common, list: readonly Row[]): Model[] {
  return list.map(([id, name, window, output, prices]) => ({
    id,
    name,
    window,
    output,
    tools,
    ...common,
    ...(prices && { prices }),
  }));
}

export const K = 1000;
export const M = 1_000_000;
/** What a model takes: text alone, with images, with documents too; `MODALITIES` is everything. */
export const READS_TEXT: readonly Modality[] = ["text"];
export const SEES: readonly Modality[] = ["text", "image"];
export const READS: readonly Modality[] = ["text", "image", "pdf"];
