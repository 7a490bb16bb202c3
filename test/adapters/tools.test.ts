// Tool calls over all pairs of agents: a native call of one, read, written by another and read again, says the same
// except for what the loss report names.
import { appendFile, copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import type { Adapter, SessionRef } from "../../src/adapters/adapter.ts";
import { adapters } from "../../src/adapters/index.ts";
import type { Entry, ToolCall, ToolResult } from "../../src/session/session.ts";
import { type Source, sourceOf } from "../../src/session/source.ts";
import { bundle } from "../../src/switch/bundle.ts";
import { visible } from "../../src/transform/visible.ts";
import { type Step, sameStep, stepsOf, tellings } from "../../src/verify/steps.ts";
import { session } from "../session/build.ts";
import { CWD, SPELLINGS, type Spelling } from "./spellings.ts";

const at = "2026-01-02T03:04:05.000Z";
const targets = adapters.filter(({ write }) => write);
const sources = targets.filter(({ id }) => SPELLINGS[id]);

/** Every spelling of an agent as one session of its own: what is in no vocabulary is written as it is. */
async function recorded(adapter: Adapter): Promise<Source> {
  const timeline = spellingsOf(adapter).flatMap(([name, input], index): Entry[] => {
    const id = `call-${index}x`;
    const asked = { id: `prompt-${index}`, timestamp: at, type: "user", content: `prompt ${index}` } as const;
    const call: Entry = {
      ...{ id, timestamp: at, type: "tool_call", tool: "unknown", turn: `turn-${index}` },
      ...{ input, originalTool: name },
    };
    const answer = { id: `result-${index}`, timestamp: at, type: "tool_result", callId: id } as const;
    return [asked, call, { ...answer, success: true, output: `output ${index}` }];
  });
  return arrived(sourceOf(session(timeline, { project: { path: CWD } })), adapter);
}

/** The session as a file of another agent, opened as such. */
async function arrived(source: Source, to: Adapter): Promise<Source> {
  const dir = await mkdtemp(join(tmpdir(), "baton-tools-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const path = join(dir, "session.jsonl");
  const { pieces } = await bundle({ source, to, home: { dir, env: {} }, path });
  for await (const piece of pieces) await appendFile(piece.path, piece.bytes);
  // Some agents go by the end of a file's name.
  const other = join(dir, "session.json");
  await copyFile(path, other);
  return to.open(((await to.recognise(path)) ?? (await to.recognise(other))) as SessionRef);
}

function spellingsOf({ id }: Adapter): readonly Spelling[] {
  return SPELLINGS[id] ?? [];
}

async function exchangesIn(source: Source): Promise<[ToolCall, ToolResult | undefined][]> {
  const entries = await Array.fromAsync(visible(source).entries());
  const results = entries.filter((entry) => entry.type === "tool_result");
  return entries
    .filter((entry) => entry.type === "tool_call")
    .map((call) => [call, results.find(({ callId }) => callId === call.id)]);
}

describe.each(sources.map((from) => [from.id, from] as const))("%s", (_, from) => {
  it("reads every spelling", async () => {
    const calls = await exchangesIn(await recorded(from));
    const found = calls.map(([{ originalTool, tool, input }]) => [originalTool, tool, input]);
    expect(found).toEqual(spellingsOf(from).map(([name, , tool, input]) => [name, tool, input]));
  });

  it.each(targets.map((to) => [to.id, to] as const))("becomes %s and says the same", async (__, to) => {
    const source = await recorded(from);
    const meant = await exchangesIn(source);
    const told = await exchangesIn(await arrived(source, to));
    for (const [call, result] of meant) {
      const { pairs, losses } = to.tools(call, result);
      const dropped = losses.flatMap(({ kind, detail }) =>
        kind === "tool_argument_dropped" ? detail.split(/[^\w-]+/) : [],
      );
      const calls = told.splice(0, to === from ? 1 : pairs.length).map(([one]) => one);
      expect([name(call), difference(call, calls, dropped)]).toEqual([name(call), undefined]);
    }
    expect(told).toEqual([]);
  });
});

const name = ({ originalTool, input }: ToolCall) => `${originalTool} ${JSON.stringify(input)}`;

/** What of a call is not there, or is there in addition. */
function difference(call: ToolCall, calls: readonly ToolCall[], dropped: readonly string[]): unknown {
  const [only] = calls;
  if (calls.length === 1 && isDeepStrictEqual(only?.input, call.input) && only?.tool === call.tool)
    return undefined;
  if (call.tool === "edit" || call.tool === "write")
    return doesTheSame(call, calls) ? undefined : calls.map(({ input }) => input);
  if (calls.length !== 1 || only === undefined) return `${calls.length} calls`;
  // A tool that is kept is no tool of the other's vocabulary.
  if (only.tool !== call.tool) return only.tool === "unknown" && isKept(call, only) ? undefined : only.tool;
  const wanted = without(call.input, dropped);
  // The session's own folder need not be named, and where it is, a shell can be sent there.
  if (wanted.cwd === CWD && only.input.cwd === undefined) delete wanted.cwd;
  if (only.input.command === `cd ${CWD} && ${wanted.command}`) wanted.command = only.input.command;
  return isDeepStrictEqual(only.input, wanted) ? undefined : { is: only.input, wanted };
}

function isKept(call: ToolCall, kept: ToolCall): boolean {
  const { originalInput } = call;
  const native = typeof originalInput === "string" ? JSON.parse(originalInput) : originalInput;
  const isSame = [call.input, native].some((input) => isDeepStrictEqual(kept.input, input));
  return kept.originalTool === call.originalTool && isSame;
}

function without(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  const plain = (inner: unknown): unknown =>
    Array.isArray(inner) ? inner.map((one) => (isObject(one) ? without(one, names) : one)) : inner;
  const left = Object.entries(value).filter(([field]) => !names.includes(field));
  return Object.fromEntries(left.map(([field, inner]) => [field, plain(inner)]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function doesTheSame(call: ToolCall, calls: readonly ToolCall[]): boolean {
  const samePath = (one: string, other: string) => absolute(one) === absolute(other);
  const have = calls.flatMap((one) => tellings(one, undefined)[0] ?? stepsOf(one.input) ?? []);
  return tellings(call, undefined).some(
    (steps) =>
      steps.length === have.length &&
      have.every((step, index) => sameStep(step, steps[index] as Step, samePath)),
  );
}

function absolute(path: string): string {
  return path.startsWith("/") ? path : join(CWD, path);
}
