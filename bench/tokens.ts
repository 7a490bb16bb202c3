// The estimate of tokens beside the count of OpenAI's own tokenizer, for each kind of text, and how fast it is.
import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { countTokens as trueCount } from "gpt-tokenizer/encoding/o200k_base";
import { countTokens } from "../src/models/tokens.ts";
import { bar, explain, interleave, MB, median, quick, title } from "./report.ts";

const ROOT = join(import.meta.dirname, "..");
/** Per cent. */
const FURTHEST = 10;
/** Megabytes in a second. */
const SLOWEST = 40;

export async function tokenBars(): Promise<void> {
  title("Tokens: the estimate beside o200k");
  const texts = [...ownTexts(), ...repositoryTexts()];
  for (const [name, text] of texts) {
    const real = trueCount(text);
    const off = (countTokens(text) / real - 1) * 100;
    bar(`${name}, ${real} tokens (${off.toFixed(1)} %)`, Math.abs(off), FURTHEST, "%");
  }
  await speed(texts.map(([, text]) => text).join("\n"));
}

function ownTexts(): [name: string, text: string][] {
  return globSync(join(ROOT, "bench/texts/*"))
    .toSorted()
    .map((path) => [basename(path), readFileSync(path, "utf8")]);
}

function repositoryTexts(): [name: string, text: string][] {
  const all = (...patterns: string[]) =>
    patterns
      .flatMap((pattern) => globSync(join(ROOT, pattern)).toSorted())
      .map((path) => readFileSync(path, "utf8"))
      .join("\n");
  return [
    ["TypeScript: src", all("src/**/*.ts")],
    ["TypeScript: test", all("test/**/*.ts")],
    ["prose: docs", all("*.md", "docs/*.md")],
    ["JSON: schema", all("schema/*.json")],
    ["JSON: package-lock.json", all("package-lock.json")],
    ["JSONL: sessions", all("test/adapters/*/fixtures/**/*.jsonl")],
  ];
}

async function speed(text: string): Promise<void> {
  const wanted = (quick ? 5 : 50) * MB;
  const long = text.repeat(Math.ceil(wanted / Buffer.byteLength(text)));
  // It is a rope until it is looked at as a whole.
  const size = Buffer.from(long).length / MB;
  const { seconds } = await interleave({
    async seconds() {
      const start = performance.now();
      countTokens(long);
      return (performance.now() - start) / 1000;
    },
  });
  const took = median(seconds);
  bar(`${size.toFixed(0)} MB counted`, took, Math.round((size / SLOWEST) * 10) / 10, "s");
  explain(`${(size / took).toFixed(0)} MB/s`);
}
