// Goes through a session on the screen: keys move, time moves when it is played, and what is looked for is found.
import type { Source } from "../../session/source.ts";
import type { Steps } from "../../transform/steps.ts";
import type { PriceOf } from "../../transform/turn-facts.ts";
import { cut } from "../text.ts";
import { findStep } from "./find.ts";
import type { Happening, Stage } from "./stage.ts";
import { startTally } from "./tally.ts";
import { frame, type Playing, type State } from "./view.ts";
import { newWindow } from "./window.ts";

export interface PlayOptions {
  source: Source;
  steps: Steps;
  from: number;
  /** How many times faster than it happened; absent = only keys move. */
  speed?: number;
  priceOf?: PriceOf;
  look: Playing["look"];
}

const LONGEST_PAUSE_MS = 3000;
const SHORTEST_PAUSE_MS = 50;

export async function play(stage: Stage, options: PlayOptions): Promise<void> {
  const { source, steps, speed } = options;
  let isOver = false;
  const state: State = {
    at: options.from,
    scroll: 0,
    outputs: true,
    expanded: false,
    message: "",
    isPlaying: speed !== undefined,
  };
  const playing: Playing = {
    header: source.header,
    steps,
    window: newWindow(source),
    tally: startTally(
      source,
      options.priceOf,
      () => isOver,
      (problem) => {
        if (problem !== undefined) state.message = `What it took is not known: ${reasonOf(problem)}`;
        stage.tell("known");
      },
    ),
    look: options.look,
  };
  const finder = newFinder(stage, source, steps);
  let timer: NodeJS.Timeout | undefined;
  try {
    for (;;) {
      const size = stage.size();
      stage.draw(await frame(playing, state, size.columns, size.rows));
      clearTimeout(timer);
      if (state.isPlaying && speed !== undefined) {
        const pause = await pauseBefore(playing, state.at, speed);
        timer = setTimeout(() => stage.tell("tick"), pause);
      }
      const happening = await stage.next();
      if (state.typing !== undefined) type(happening, state, finder);
      else if (isEnd(happening)) return;
      else act(happening, state, playing, finder, size.rows);
    }
  } finally {
    isOver = true;
    finder.stop();
    clearTimeout(timer);
  }
}

/** As long as it took, divided by the speed, but nobody waits for a lunch break. */
async function pauseBefore({ steps, window }: Playing, at: number, speed: number): Promise<number> {
  if (at + 1 >= steps.length) return LONGEST_PAUSE_MS;
  const [now] = await window.entries(steps.positions(at).slice(-1));
  const [next] = await window.entries(steps.positions(at + 1).slice(0, 1));
  const took = Date.parse(next?.timestamp ?? "") - Date.parse(now?.timestamp ?? "");
  const pause = Number.isNaN(took) ? 0 : took / speed;
  return Math.min(LONGEST_PAUSE_MS, Math.max(SHORTEST_PAUSE_MS, pause));
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

interface Finder {
  /** An empty text looks for the last one again. */
  start(text: string, from: number): string;
  /** The step that was found, or why there is none. */
  found(): number | string;
  stop(): void;
}

function newFinder(stage: Stage, source: Source, steps: Steps): Finder {
  let last = "";
  let result: number | string = "";
  let turn = 0;
  return {
    start(text, from) {
      last = text || last;
      if (last === "") return "";
      const mine = ++turn;
      const told = (found: number | string) => {
        if (mine !== turn) return;
        result = found;
        stage.tell("found");
      };
      findStep(source, steps, last, from, () => mine !== turn).then(
        (step) => told(step === -1 ? "Not found." : step),
        (error) => told(`Not looked through to the end: ${reasonOf(error)}`),
      );
      return `Looking for “${cut(last, 40)}” … Esc stops.`;
    },
    found: () => result,
    stop: () => void turn++,
  };
}

/** A key by its name or its character; what is pasted is never meant as one. */
function keyOf(happening: Happening): string {
  if (happening.type === "named") return happening.name;
  return happening.type === "text" ? happening.text : "";
}

function isEnd(happening: Happening): boolean {
  return ["q", "eof"].includes(keyOf(happening));
}

function act(happening: Happening, state: State, playing: Playing, finder: Finder, rows: number): void {
  if (happening.type === "told") {
    hear(happening.what, state, playing, finder);
    return;
  }
  const key = keyOf(happening);
  state.message = "";
  finder.stop();
  if (key === "s") state.isPlaying = !state.isPlaying;
  else state.isPlaying = false;
  if (key === "/") state.typing = "";
  else if (key === "t") state.outputs = !state.outputs;
  else if (key === "e") state.expanded = !state.expanded;
  else if (key in SCROLLS) state.scroll = Math.max(0, state.scroll + (SCROLLS[key]?.(rows - 2) ?? 0));
  else {
    const to = MOVES[key]?.(state.at, playing.steps);
    if (to !== undefined) move(state, playing.steps, to);
  }
}

function hear(what: string, state: State, { steps }: Playing, finder: Finder): void {
  if (what === "tick" && state.isPlaying) state.isPlaying = move(state, steps, state.at + 1);
  if (what !== "found") return;
  const found = finder.found();
  state.message = typeof found === "string" ? found : "";
  if (typeof found === "number") move(state, steps, found);
}

function type(happening: Happening, state: State, finder: Finder): void {
  const typed = state.typing ?? "";
  const key = keyOf(happening);
  if (key === "escape") delete state.typing;
  else if (key === "enter") {
    delete state.typing;
    state.message = finder.start(typed, state.at);
  } else if (key === "backspace") state.typing = [...typed].slice(0, -1).join("");
  else if (happening.type === "text" || happening.type === "paste") state.typing = typed + happening.text;
}

/** Whether there is such a step; at the ends it says so. */
function move(state: State, steps: Steps, to: number): boolean {
  const at = Math.max(0, Math.min(steps.length - 1, to));
  if (at !== to) state.message = to < 0 ? "This is the beginning." : "This is the end. q quits.";
  if (at === state.at) return false;
  state.at = at;
  state.scroll = 0;
  state.expanded = false;
  return true;
}

const SCROLLS: Record<string, (height: number) => number> = {
  down: () => 1,
  up: () => -1,
  page_down: (height) => height,
  page_up: (height) => -height,
};

type Move = (at: number, steps: Steps) => number;

const next: Move = (at) => at + 1;
const back: Move = (at) => at - 1;
const first: Move = () => 0;
const last: Move = (_, { length }) => length - 1;

const MOVES: Record<string, Move> = {
  " ": next,
  enter: next,
  right: next,
  j: next,
  left: back,
  k: back,
  backspace: back,
  g: first,
  home: first,
  G: last,
  end: last,
  n: (at, { prompts, length }) => prompts.find((step) => step > at) ?? length,
  p: (at, { prompts }) => prompts.findLast((step) => step < at) ?? -1,
};
