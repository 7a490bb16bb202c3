// The bare `baton` on a terminal: a list of all sessions that is filtered as one types, and what can be done with one.
import { badge } from "../badge.ts";
import type { Context } from "../context.ts";
import type { GoOn } from "../continue.ts";
import type { Look } from "./cells.ts";
import { draw } from "./draw.ts";
import type { Row } from "./filter.ts";
import type { Key } from "./keys.ts";
import { emptyPreview, LARGEST_PREVIEW, type Preview, readPreview } from "./preview.ts";
import { reduce } from "./reduce.ts";
import { openTerminal, type Terminal } from "./screen.ts";
import {
  initialState,
  layoutIn,
  type State,
  selectedRow,
  withPreview,
  withProgress,
  withSessions,
  withSize,
} from "./state.ts";

/** What everything that happens while the picker is open works with. */
export interface Picker {
  context: Context;
  terminal: Terminal;
  state: State;
  /** Shows another state. */
  show(state: State): void;
  /** Reads the sessions, again. */
  load(): void;
  /** The command that was copied last, for those whose terminal does not let itself be told. */
  copied: string;
  /** Ends it with a status, or goes on in an agent. */
  end(result: number | GoOn): void;
}

/** Returns the exit status: the agent's, if one was started. */
export async function pick(context: Context): Promise<number> {
  const ended = Promise.withResolvers<number | GoOn>();
  const terminal = openTerminal({
    onKey: (key) => attempt(() => pressed(picker, key)),
    onResize: () => attempt(() => picker.show(withSize(picker.state, terminal.size()))),
    onEnd: () => ended.resolve(HUNG_UP),
  });
  const attempt = (work: () => void | Promise<void>) => {
    (async () => work())().catch(ended.reject);
  };
  const look = lookFor(context);
  const preview = newPreviewer(() => picker, attempt);
  let loads = 0;
  const picker: Picker = {
    context,
    terminal,
    state: initialState(terminal.size()),
    copied: "",
    end: ended.resolve,
    show(state) {
      picker.state = state;
      terminal.draw(draw(state, look()));
      preview.rest();
    },
    load() {
      const own = ++loads;
      attempt(() => load(picker, () => own === loads));
    },
  };
  try {
    picker.show(picker.state);
    picker.load();
    const ending = await ended.promise;
    terminal.close();
    if (picker.copied !== "") await context.output.write(`${picker.copied}\n`);
    return typeof ending === "number" ? ending : await handOver(context, ending);
  } finally {
    terminal.close();
    loads = 0;
    preview.end();
  }
}

const HUNG_UP = 129;

// The screen is there at once; what reads and writes sessions is loaded when it is needed.

async function handOver(context: Context, result: GoOn): Promise<number> {
  const { goOn } = await import("../continue.ts");
  return goOn(context, result, true);
}

async function pressed(picker: Picker, key: Key): Promise<void> {
  const { state, effect } = reduce(picker.state, key);
  picker.show(state);
  if (!effect) return;
  const { perform } = await import("./perform.ts");
  await perform(picker, effect);
}

function lookFor(context: Context): () => Look {
  const { colors } = context.output;
  let paint = (_: string, text: string) => text;
  // Before the adapters are there, nothing is there to be coloured.
  context.adapters().then(
    (adapters) => {
      paint = (agent, text) => badge(agent, adapters, colors).replace(agent, () => text);
    },
    // Whoever needs them tells what is wrong.
    () => undefined,
  );
  return () => ({ colors, home: context.home.dir, badge: paint, now: Date.now() });
}

/** What is read for nobody, because it was asked for anew or the picker has ended, is not shown. */
async function load(picker: Picker, isWanted: () => boolean): Promise<void> {
  const { rows } = await import("./rows.ts");
  await rows(picker.context, ({ sessions, progress, problems }) => {
    if (!isWanted()) return;
    const known = sessions ? withSessions(picker.state, sessions) : picker.state;
    const next = withProgress(known, progress);
    const message = progress === undefined && next.message === "" ? problems.join(" ") : next.message;
    picker.show({ ...next, message });
  });
}

/** A moment of rest: moving through the list opens nothing. */
const RESTING_MS = 60;

/** Reads one session at a time, the one that is selected when it gets to it. */
function newPreviewer(picker: () => Picker, attempt: (work: () => Promise<void>) => void) {
  let timer: NodeJS.Timeout | undefined;
  let isReading = false;
  let isOver = false;
  const wanted = () => {
    const { state } = picker();
    const row = selectedRow(state);
    if (isOver || !row || state.panel || !layoutIn(state).preview) return undefined;
    const known = state.previews.get(row.key);
    return known?.updated === row.session.updated ? undefined : row;
  };
  const read = async () => {
    const row = wanted();
    if (!row || isReading) return;
    isReading = true;
    const preview = await previewOf(picker().context, row, () => wanted()?.key === row.key);
    isReading = false;
    if (preview && !isOver) picker().show(withPreview(picker().state, row, preview));
    else rest();
  };
  const rest = () => {
    clearTimeout(timer);
    if (wanted()) timer = setTimeout(() => attempt(read), RESTING_MS);
  };
  const end = () => {
    isOver = true;
    clearTimeout(timer);
  };
  return { rest, end };
}

/** A session that cannot be read says so in its pane, and nowhere else. */
async function previewOf(
  context: Context,
  { session }: Row,
  isWanted: () => boolean,
): Promise<Preview | undefined> {
  const { updated } = session;
  if (session.size > LARGEST_PREVIEW)
    return emptyPreview(updated, "This session is too large to look into from here. v shows it.");
  const { openRow } = await import("./rows.ts");
  try {
    return await readPreview(await openRow(context, session), updated, isWanted);
  } catch (error) {
    return emptyPreview(updated, error instanceof Error ? error.message : String(error));
  }
}
