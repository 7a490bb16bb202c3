// A session as steps to go through one by one: a prompt, a message of the model, a call with its result. Made from the
// skeleton alone, in columns, so that a session of any size has its steps at once.
import type { Skeleton } from "../session/skeleton.ts";
import { threadPositions } from "./visible.ts";

export interface Steps {
  readonly length: number;
  readonly kind: (step: number) => StepKind;
  /** Positions of its entries in the timeline. */
  positions(step: number): readonly number[];
  /** The step of the prompt that it came of, -1 before the first one. */
  prompt(step: number): number;
  /** Steps of prompts, in order. */
  readonly prompts: readonly number[];
  /** The step that holds this position, -1 when it is on another branch. */
  at(position: number): number;
}

/** aside: what no model said and nobody typed, as much of it as stands together. */
export type StepKind = "prompt" | "reply" | "call" | "aside" | "compaction";

const KINDS: readonly StepKind[] = ["prompt", "reply", "call", "aside", "compaction"];

export function stepsOf(skeleton: Skeleton, options: { visible: boolean }): Steps {
  const order = inPairs(
    skeleton,
    threadPositions(skeleton, { history: options.visible ? "visible" : "full" }),
  );
  const kept = options.visible ? order.filter((at) => !skeleton.note(at)) : order;
  const starts: number[] = [];
  const kinds: number[] = [];
  const ofPosition = new Int32Array(skeleton.length).fill(-1);
  for (const [index, at] of kept.entries()) {
    const kind = kindOf(skeleton, at);
    const isGoingOn =
      kinds.length > 0 &&
      ((kind === "aside" && KINDS[kinds.at(-1) ?? 0] === "aside") || isAnswer(skeleton, kept[index - 1], at));
    if (!isGoingOn) {
      starts.push(index);
      kinds.push(KINDS.indexOf(kind));
    }
    ofPosition[at] = starts.length - 1;
  }
  const prompts = [...kinds.keys()].filter((step) => KINDS[kinds[step] ?? 0] === "prompt");
  const promptOf = new Int32Array(kinds.length).fill(-1);
  let last = -1;
  for (const step of kinds.keys()) {
    if (KINDS[kinds[step] ?? 0] === "prompt") last = step;
    promptOf[step] = last;
  }
  return {
    length: starts.length,
    kind: (step) => KINDS[kinds[step] ?? 0] as StepKind,
    positions: (step) => kept.slice(starts[step], starts[step + 1] ?? kept.length),
    prompt: (step) => promptOf[step] ?? -1,
    prompts,
    at: (position) => ofPosition[position] ?? -1,
  };
}

/** A result directly behind its call, also where several were called at once. */
function inPairs(skeleton: Skeleton, order: readonly number[]): number[] {
  const results = new Map<number, number>();
  for (const at of order)
    if (skeleton.type(at) === "tool_result" && !results.has(skeleton.call(at)))
      results.set(skeleton.call(at), at);
  const called = new Set<number>();
  for (const at of order) if (skeleton.type(at) === "tool_call") called.add(skeleton.call(at));
  return order.flatMap((at) => {
    const call = skeleton.call(at);
    const result = results.get(call);
    if (skeleton.type(at) === "tool_result") return result === at && called.has(call) ? [] : [at];
    return skeleton.type(at) === "tool_call" && result !== undefined ? [at, result] : [at];
  });
}

function isAnswer(skeleton: Skeleton, before: number | undefined, at: number): boolean {
  return (
    before !== undefined &&
    skeleton.type(at) === "tool_result" &&
    skeleton.type(before) === "tool_call" &&
    skeleton.call(before) === skeleton.call(at)
  );
}

function kindOf(skeleton: Skeleton, at: number): StepKind {
  if (skeleton.note(at)) return "aside";
  switch (skeleton.type(at)) {
    case "user":
      return skeleton.injected(at) ? "aside" : "prompt";
    case "assistant":
      return "reply";
    case "tool_call":
    case "tool_result":
      return "call";
    case "compaction":
      return "compaction";
    case "system":
    case "switch":
      return "aside";
  }
}
