// How much of a session survives from agent to agent: the rich session of each is carried into each, whose real
// CLI resumes it, and the facts are counted.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Adapter } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import type { Loss, LossName } from "../session/losses.ts";
import type { Source, Stream } from "../session/source.ts";
import type { Finding } from "../verify/compare.ts";
import { type Fact, factsOf } from "../verify/facts.ts";
import { isProven, verify } from "../verify/verify.ts";
import { carriedWhole, seen } from "./proof.ts";

export interface Contestant {
  adapter: Adapter;
  cli: { version: string; path: string };
}

export interface Fidelity {
  date: string;
  versions: Record<string, string>;
  pairs: Pair[];
}

export interface Pair {
  from: string;
  to: string;
  total: number;
  kept: number;
  changed: number;
  lost: number;
  /** Every fact is kept or was announced as lost, and the CLI went along. */
  proven: boolean;
  types: Partial<Record<Fact["type"], { total: number; kept: number }>>;
  /** What the report named, by kind. */
  losses: { kind: LossName; severity: Loss["severity"]; count: number }[];
  missing: Finding[];
  unexpected: Finding[];
  problems: string[];
}

const SAMPLES = fileURLToPath(new URL("../../samples", import.meta.url));
const AT_ONCE = 2;

export function hasSample({ id }: Pick<Adapter, "id">): boolean {
  return existsSync(join(SAMPLES, id, "about.json"));
}

export async function measure(
  contestants: readonly Contestant[],
  onPair: (done: number, total: number) => void,
): Promise<Fidelity> {
  const wanted = contestants.flatMap((from) => contestants.map((to) => ({ from, to })));
  const pairs: Pair[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < wanted.length; at = next++) {
      const { from, to } = wanted[at]!;
      pairs[at] = await measurePair(from.adapter, to).catch((error) => failedPair(from.adapter, to, error));
      onPair(pairs.filter(Boolean).length, wanted.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const versions = contestants.map(({ adapter, cli }) => [adapter.id, cli.version]);
  return { date: new Date().toISOString().slice(0, 10), versions: Object.fromEntries(versions), pairs };
}

async function measurePair(from: Adapter, { adapter: to, cli }: Contestant): Promise<Pair> {
  const source = await openSample(from);
  let losses: readonly Loss[] = [];
  const result = await verify({
    adapter: to,
    cli,
    async arrange(home, cwd) {
      const arranged = await carriedWhole(source, { to, home, cwd, cli }, from);
      losses = arranged.losses ?? [];
      return arranged;
    },
  });
  const { facts, missing, unexpected, problems } = result;
  return {
    from: from.id,
    to: to.id,
    ...facts,
    proven: isProven(result),
    types: await byType(seen(source, from), missing),
    losses: byKind(losses),
    missing,
    unexpected,
    problems: [...problems, ...result.foreign.map((host) => `It contacted ${host}.`)],
  };
}

/** One pair that fails must not hide the others. */
async function failedPair(from: Adapter, { adapter: to }: Contestant, error: unknown): Promise<Pair> {
  if (!(error instanceof BatonError)) throw error;
  const total = (await Array.fromAsync(factsOf(seen(await openSample(from), from)))).length;
  const counts = { total, kept: 0, changed: 0, lost: total };
  const nothing = { types: {}, losses: [], missing: [], unexpected: [] };
  const problems = [`It could not be carried: ${error.message}`];
  return { from: from.id, to: to.id, ...counts, proven: false, ...nothing, problems };
}

async function openSample(adapter: Adapter): Promise<Source> {
  const folder = join(SAMPLES, adapter.id);
  const { id } = JSON.parse(await readFile(join(folder, "about.json"), "utf8")) as { id: string };
  for (const ref of adapter.discover({ dir: join(folder, "native"), env: {} }))
    if (ref.originalId === id) return adapter.open(ref);
  throw new BatonError("damaged", `The sample session in ${folder} is not there.`, "Install Baton anew.");
}

async function byType(stream: Stream, missing: readonly Finding[]): Promise<Pair["types"]> {
  const types: Pair["types"] = {};
  for await (const { type } of factsOf(stream)) {
    const known = types[type] ?? { total: 0, kept: 0 };
    types[type] = { total: known.total + 1, kept: known.kept + 1 };
  }
  // A fact may be missing in both runs, each time in another way.
  const seen = new Set(missing.map(({ type, entry, excerpt }) => JSON.stringify([type, entry, excerpt])));
  for (const key of seen) {
    const known = types[(JSON.parse(key) as [Fact["type"]])[0]];
    if (known) known.kept--;
  }
  return types;
}

function byKind(losses: readonly Loss[]): Pair["losses"] {
  const kinds = new Map<LossName, Pair["losses"][number]>();
  for (const { kind, severity, detail } of losses) {
    const known = kinds.get(kind) ?? { kind, severity, count: 0 };
    // Losses of one kind may be gathered into one.
    const times = Number(/ \((\d+) times\)$/.exec(detail)?.[1] ?? 1);
    kinds.set(kind, { ...known, count: known.count + times });
  }
  return [...kinds.values()].toSorted((a, b) => b.count - a.count || (a.kind < b.kind ? -1 : 1));
}
