// The proof that a session arrived: the agent's real CLI resumes it twice in a private home against a model on
// loopback, and what it tells the model is compared with what was meant. The user's store is not touched.
import { randomUUID } from "node:crypto";
import type { Adapter, Home, Sandbox } from "../adapters/adapter.ts";
import type { Exchange } from "../loopback/log.ts";
import type { ModelRequest } from "../loopback/request.ts";
import { type Loopback, startLoopback } from "../loopback/server.ts";
import { BatonError } from "../session/error.ts";
import type { Loss } from "../session/losses.ts";
import type { Header } from "../session/session.ts";
import type { Stream } from "../session/source.ts";
import { type Comparison, compare, type Finding } from "./compare.ts";
import { type Fact, factsOf, shorten } from "./facts.ts";
import { type Cell, type Isolation, layDown, type Outcome, openCell } from "./run.ts";

export interface VerifyRequest {
  adapter: Adapter;
  /** The CLI to run. */
  cli: { path: string; version: string };
  /** Puts the session into the private home; the project is empty and the session's own for the copy. */
  arrange(home: Home, cwd: string): Promise<Arranged>;
  /** For one run of the CLI. */
  timeoutMs?: number;
  /** Absent: the strictest that this user may have. */
  isolation?: Isolation;
}

export interface Arranged {
  originalId: string;
  /** What was meant to be carried. */
  expected: Stream;
  /** Texts that the model must not see. */
  hidden?: readonly string[];
  /** What the writer announced. */
  losses?: readonly Loss[];
  /** The session is the agent's own: thinking in it bears the vendor's signatures, which nobody else can judge. */
  isCopy?: boolean;
}

export interface Verification {
  agent: string;
  cliVersion: string;
  /** The CLI resumed this very session, both times, and the vendor would have taken its requests. */
  accepted: boolean;
  facts: Comparison["facts"];
  missing: Finding[];
  unexpected: Finding[];
  /** Why it was not accepted, or what else is wrong. */
  problems: string[];
  /** Hosts that the CLI tried to reach, which fails the proof. */
  foreign: string[];
  /** Whether the CLI's own list shows it; absent for a copy and where there is no list without a terminal. */
  listed?: boolean;
  isolation: Isolation;
}

const TIMEOUT_MS = 120_000;
const MOST_VIOLATIONS = 5;

export async function verify(request: VerifyRequest): Promise<Verification> {
  const script = newScript();
  // What the vendor would refuse is answered and reported, so that one flaw does not hide the next.
  const loopback = await startLoopback({ script: script.answer, strict: false });
  try {
    const cell = await openCell(loopback.port, request.isolation);
    try {
      return await inside(request, script, loopback, cell);
    } finally {
      await cell.close();
    }
  } finally {
    await loopback.close();
  }
}

/** Nothing is missing but what was announced, nothing is there that should not be, and the CLI went along. */
export function isProven(result: Verification): boolean {
  return (
    result.accepted &&
    result.listed !== false &&
    result.foreign.length === 0 &&
    result.unexpected.length === 0 &&
    result.missing.every(({ named }) => named !== undefined)
  );
}

async function inside(
  request: VerifyRequest,
  script: Script,
  loopback: Loopback,
  cell: Cell,
): Promise<Verification> {
  const { adapter, cli } = request;
  if (!adapter.sandbox)
    throw new BatonError(
      "unsupported",
      `${adapter.label} cannot be verified yet.`,
      "Pick another agent with --in AGENT.",
    );
  const sandbox = adapter.sandbox(cell.home, loopback.port);
  await layDown(cell.home, sandbox.files);
  const arranged = await request.arrange({ dir: cell.home, env: {} }, cell.cwd);
  const facts = await Array.fromAsync(factsOf(arranged.expected));
  const timeoutMs = request.timeoutMs ?? TIMEOUT_MS;
  // A CLI that finds itself with another model may compact the session first, or refuse it.
  const was = arranged.isCopy ? arranged.expected.header.model : undefined;
  const problems: string[] = [];
  const comparisons: Comparison[] = [];
  const running = { cell, loopback, sandbox, path: cli.path, timeoutMs };
  let own = await ownWords(running, was);
  for (const turn of script.turns) {
    const first = loopback.requests.length;
    const argv = [cli.path, ...sandbox.resume(arranged.originalId, turn.prompt, was).slice(1)];
    const outcome = await cell.run({ argv, env: environment(sandbox, was), timeoutMs });
    const exchange = exchangeOf(loopback, first, turn.prompt);
    problems.push(...problemsOf(turn, outcome, exchange, arranged));
    own = await wordsTo(exchange?.request.model, own, running, adapter);
    const after = saidUntil(script, turn);
    comparisons.push(
      compare(facts, exchange?.request ?? nothing(adapter), {
        ...arranged,
        ...(sandbox.fillers && { fillers: sandbox.fillers }),
        ...(own && { control: own, ...(arranged.isCopy && { isContext: contextOf(own) }) }),
        cwd: cell.cwd,
        after,
      }),
    );
    // What cannot be resumed once is not tried again.
    if (!exchange) break;
  }
  // A copy of the agent's own session is listed as much as the original is.
  const listed = arranged.isCopy
    ? undefined
    : await listedIn(cell, sandbox, cli.path, arranged.originalId, timeoutMs);
  return {
    agent: adapter.id,
    cliVersion: cli.version,
    accepted: problems.length === 0,
    ...worst(comparisons),
    problems,
    foreign: [...new Set(loopback.refusals.filter(({ foreign }) => foreign).map(({ host }) => host))],
    ...(listed !== undefined && { listed }),
    isolation: cell.isolation,
  };
}

function environment(sandbox: Sandbox, was: Header["model"] | undefined): Record<string, string> {
  return { ...sandbox.env, ...(was && sandbox.staying?.(was)) };
}

interface Running {
  cell: Cell;
  loopback: Loopback;
  sandbox: Sandbox;
  path: string;
  timeoutMs: number;
}

/** What the CLI tells a model by itself: its request in a session that holds one prompt and nothing else. */
async function ownWords(
  running: Running,
  was: Header["model"] | undefined,
): Promise<ModelRequest | undefined> {
  const { cell, loopback, sandbox, path, timeoutMs } = running;
  const prompt = `Baton listens to what is said by itself (${randomUUID().slice(0, 8)}).`;
  const first = loopback.requests.length;
  const argv = [path, ...sandbox.start(prompt, was).slice(1)];
  await cell.run({ argv, env: environment(sandbox, was), timeoutMs });
  return exchangeOf(loopback, first, prompt)?.request;
}

/** It may stay with a model of the session's that is its own vendor's, and tell that one other things. */
async function wordsTo(
  model: string | undefined,
  own: ModelRequest | undefined,
  running: Running,
  { provider }: Adapter,
): Promise<ModelRequest | undefined> {
  if (!own || model === undefined || own.model === model) return own;
  return (await ownWords(running, { provider, model })) ?? own;
}

/** A session of the CLI's own holds context of another day or folder, in the elements it still uses. */
function contextOf(own: ModelRequest): (text: string) => boolean {
  const texts = own.messages.flatMap(({ role, blocks }) =>
    role === "user" ? blocks.map((block) => (block.type === "text" ? block.text : "")) : [],
  );
  const elements = new Set(texts.flatMap((text) => /^<([\w-]+)>/.exec(text)?.[1] ?? []));
  return (text) => {
    const [, name = ""] = /^<([\w-]+)>.*<\/\1>$/s.exec(text.trim()) ?? [];
    return elements.has(name);
  };
}

interface Turn {
  name: "first" | "second";
  prompt: string;
  reply: string;
}

interface Script {
  turns: readonly Turn[];
  answer(request: ModelRequest): { text: string };
}

/** Prompts and replies that occur nowhere else. */
function newScript(): Script {
  const turns = (["first", "second"] as const).map((name): Turn => {
    const mark = randomUUID().slice(0, 8);
    return {
      name,
      prompt: `Baton checks that this session arrived (${mark}). Answer with one word.`,
      reply: `Arrived-${mark}.`,
    };
  });
  return {
    turns,
    answer: (request) => ({
      text: turns.findLast(({ prompt }) => holds(request, prompt))?.reply ?? "Understood.",
    }),
  };
}

function saidUntil(script: Script, turn: Turn): Fact[] {
  const facts: Fact[] = [];
  for (const { name, prompt, reply } of script.turns) {
    facts.push({ entry: `${name} prompt`, type: "text", role: "user", text: prompt });
    if (name === turn.name) break;
    facts.push({ entry: `${name} reply`, type: "text", role: "assistant", text: reply });
  }
  return facts;
}

function holds(request: ModelRequest, text: string): boolean {
  return request.messages.some(({ role, blocks }) =>
    blocks.some((block) => role === "user" && block.type === "text" && block.text.includes(text)),
  );
}

/** The request that carried the prompt: a CLI may ask for other things, such as a title, beside it. */
function exchangeOf(loopback: Loopback, first: number, prompt: string): Exchange | undefined {
  const asked = loopback.requests.slice(first).filter(({ request }) => holds(request, prompt));
  return asked.toSorted((a, b) => b.request.messages.length - a.request.messages.length)[0];
}

/** What a copy of a CLI's own session may be refused for: nobody else made it so. */
const OF_ITS_OWN: ReadonlySet<string> = new Set(["signature_foreign", "result_duplicate"]);

function problemsOf(
  turn: Turn,
  outcome: Outcome,
  exchange: Exchange | undefined,
  { originalId, isCopy }: Arranged,
): string[] {
  const found: string[] = [];
  const words = shorten(outcome.stderr.trim() || outcome.stdout.trim().slice(-500));
  if (outcome.timedOut) found.push(`it did not end in time: ${words}`);
  else if (outcome.exitCode !== 0) found.push(`it ended with status ${outcome.exitCode}: ${words}`);
  if (!exchange) found.push("it never asked the model");
  const violations = exchange?.violations.filter(({ rule }) => !isCopy || !OF_ITS_OWN.has(rule)) ?? [];
  for (const { rule, message } of violations.slice(0, MOST_VIOLATIONS))
    found.push(`the vendor would refuse its request (${rule}): ${message}`);
  // Some CLIs start a new session, with status 0, when they do not find the one they were asked for.
  if (!outcome.stdout.includes(originalId)) found.push("it went on in another session");
  return found.map((problem) => `On the ${turn.name} resume ${problem}`);
}

async function listedIn(
  cell: Cell,
  sandbox: Sandbox,
  path: string,
  originalId: string,
  timeoutMs: number,
): Promise<boolean | undefined> {
  if (!sandbox.list) return undefined;
  const { argv, ...rest } = sandbox.list();
  const outcome = await cell.run({ argv: [path, ...argv.slice(1)], ...rest, env: sandbox.env, timeoutMs });
  return outcome.stdout.includes(originalId);
}

/** Both runs must hold every fact, so the one that holds fewer counts. */
function worst(comparisons: readonly Comparison[]): Pick<Comparison, "facts" | "missing" | "unexpected"> {
  const [first, ...others] = comparisons.toSorted((a, b) => a.facts.kept - b.facts.kept);
  const { facts, missing, unexpected } = first as Comparison;
  const more = (own: readonly Finding[], pick: (one: Comparison) => Finding[]) => {
    const known = new Set(own.map((finding) => JSON.stringify(finding)));
    return [...own, ...others.flatMap(pick).filter((finding) => !known.has(JSON.stringify(finding)))];
  };
  return {
    facts,
    missing: more(missing, (one) => one.missing),
    unexpected: more(unexpected, (one) => one.unexpected),
  };
}

function nothing(adapter: Adapter): ModelRequest {
  return { api: adapter.api, model: "", stream: false, system: [], messages: [], tools: [] };
}
