// What stands on the screen at a step: a line that says where and when, the step with as much of its turn before it as
// fits, and the keys.
import { displayName } from "../../models/names.ts";
import type { Entry, Header } from "../../session/session.ts";
import type { Steps } from "../../transform/steps.ts";
import { spentText } from "../comparison.ts";
import { itemText, type RenderOptions } from "../render.ts";
import { cut, duration, harmless, padded } from "../text.ts";
import { wrapped } from "../wrap.ts";
import type { Tally } from "./tally.ts";
import type { Window } from "./window.ts";

export interface Playing {
  header: Header;
  steps: Steps;
  window: Window;
  tally: Tally;
  look: Pick<RenderOptions, "colors" | "badge" | "home">;
}

export interface State {
  at: number;
  /** Lines of the step that are above the screen, when it is taller. */
  scroll: number;
  /** Whether outputs and thinking are shown, rather than one line for each. */
  outputs: boolean;
  /** Whether long outputs of this step are shown to their end. */
  expanded: boolean;
  /** What is being typed to be found. */
  typing?: string;
  message: string;
  isPlaying: boolean;
}

/** Of a long output, unless it is expanded. */
const FOLDED_LINES = 8;
/** Where there is room for a date. */
const WIDE = 110;
const KEYS = "space next  ← back  n/p prompt  ↑↓ scroll  e expand  t outputs  / find  q quit";

export async function frame(
  playing: Playing,
  state: State,
  columns: number,
  rows: number,
): Promise<string[]> {
  const { colors } = playing.look;
  const height = Math.max(1, rows - 2);
  const own = await stepLines(playing, state, state.at, columns);
  const scroll = Math.max(0, Math.min(state.scroll, own.length - height));
  state.scroll = scroll;
  const body =
    own.length >= height
      ? own.slice(scroll, scroll + height)
      : await withBefore(playing, state, own, height, columns);
  const below = own.length - height - scroll;
  const head = cut(await headText(playing, state, columns), columns);
  return [
    colors.inverse(padded(head, columns)),
    ...body,
    ...new Array<string>(Math.max(0, height - body.length)).fill(""),
    footer(state, below, columns, colors.dim),
  ];
}

/** The steps before it in the same turn, dimmed only by distance: they end where it begins. */
async function withBefore(
  playing: Playing,
  state: State,
  own: readonly string[],
  height: number,
  columns: number,
): Promise<string[]> {
  let lines = [...own];
  const first = Math.max(0, playing.steps.prompt(state.at));
  for (let step = state.at - 1; step >= first && lines.length < height; step--)
    lines = [...(await stepLines(playing, { ...state, expanded: false }, step, columns)), ...lines];
  return lines.slice(Math.max(0, lines.length - height));
}

async function stepLines(playing: Playing, state: State, step: number, columns: number): Promise<string[]> {
  const entries = await playing.window.entries(playing.steps.positions(step));
  const options: RenderOptions = {
    ...playing.look,
    width: columns,
    unfold: state.outputs || state.expanded,
    ...(!state.expanded && { lines: FOLDED_LINES }),
  };
  const text = stepText(entries, options);
  return wrapped(text.replace(/\n+$/, ""), columns);
}

function stepText(entries: readonly Entry[], options: RenderOptions): string {
  const [first, second] = entries;
  if (first?.type === "tool_call") {
    const result = second?.type === "tool_result" ? second : undefined;
    return itemText({ type: "exchange", pairs: [{ call: first, result }] }, options);
  }
  return entries
    .flatMap((entry) => (entry.type === "tool_call" ? [] : [itemText(entry, options)]))
    .filter((text) => text !== "")
    .join("\n");
}

async function headText(playing: Playing, { at, isPlaying }: State, columns: number): Promise<string> {
  const { steps, window, header, tally } = playing;
  const prompt = steps.prompt(at);
  const [entry] = await window.entries(steps.positions(at).slice(0, 1));
  const [asked] = prompt === -1 ? [] : await window.entries(steps.positions(prompt).slice(0, 1));
  const turn = steps.prompts.findLastIndex((step) => step <= at) + 1;
  const elapsed = Date.parse(entry?.timestamp ?? "") - Date.parse(asked?.timestamp ?? "");
  const spent = tally.upTo(steps.positions(at));
  const facts = [
    `${isPlaying ? "▶ " : ""}${at + 1}/${steps.length}`,
    `turn ${turn}/${steps.prompts.length}`,
    timeText(entry?.timestamp, columns >= WIDE),
    elapsed >= 0 ? `+${duration(elapsed)}` : "",
    spent ? spentText(spent) : "…",
    displayName(harmless(entry?.model ?? header.model.model)),
    header.title ?? "",
  ];
  return facts.filter(Boolean).join(" · ");
}

/** In the reader's time zone. */
function timeText(timestamp: string | undefined, withDate: boolean): string {
  const time = new Date(timestamp ?? "");
  if (Number.isNaN(time.getTime())) return "";
  const two = (value: number) => String(value).padStart(2, "0");
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
  const date = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return withDate ? `${date} ${clock}` : clock;
}

function footer(state: State, below: number, columns: number, dim: (text: string) => string): string {
  if (state.typing !== undefined) return cut(`/${state.typing}`, columns - 1);
  const more = below > 0 ? `${below} more lines below · ` : "";
  return dim(cut(state.message || `${more}${KEYS}`, columns));
}
