import type { Entry } from "../session/session.ts";
export interface SummaryRequest {
  prompt: string;
  transcript: string;
  maxTokens: number;
  signal?: AbortSignal;
}
export type Summarizer = (request: SummaryRequest) => Promise<string>;
export async function summarize(
  _entries: AsyncIterable<Entry>,
  _options: {
    summarizer: Summarizer;
    count: (text: string) => number;
    maxTokens: number;
    chunkTokens?: number;
    signal?: AbortSignal;
    onProgress?(done: number, total?: number): void;
  },
): Promise<string> {
  return "stub";
}
