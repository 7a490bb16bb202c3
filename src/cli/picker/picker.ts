// The bare `baton` on a terminal: a list of all sessions that is filtered as one types, and what can be done with one.
import type { SessionSummary } from "../../catalog/scan.ts";
import { badge } from "../badge.ts";
import type { Context } from "../context.ts";
import type { GoOn } from "../continue.ts";
import type { Key } from "../keys.ts";
import { openScreen, type Screen } from "../screen.ts";
import { type Look, lineText } from "./cells.ts";
import { draw } from "./draw.ts";
import { type Row, rowOf } from "./filter.ts";
import { perform } from "./perform.ts";
import { caughtUp, reduce } from "./reduce.ts";
import type { Answer, Rows } from "./rows.ts";
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
  screen: Screen;
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
  const screen = openScreen({
    onKey: (key) => attempt(() => pressed(picker, key)),
    onResize: () => attempt(() => picker.show(withSize(picker.state, screen.size()))),
    onEnd: () => ended.resolve(HUNG_UP),
  });
  const attempt = (work: () => void | Promise<void>) => {
    (async () => work())().catch(ended.reject);
  };
  const look = lookFor(context);
  const background = newBackground(() => picker, attempt, ended.reject);
  const picker: Picker = {
    context,
    screen,
    state: initialState(screen.size()),
    copied: "",
    end: ended.resolve,
    show(shown) {
      const { state, key } = caughtUp(shown);
      picker.state = state;
      const { lines, cursor } = draw(state, look());
      screen.draw(lines.map(lineText), cursor);
      background.rest();
      if (key) attempt(() => pressed(picker, key));
    },
    load: background.load,
  };
  try {
    picker.show(picker.state);
    attempt(background.start);
    const ending = await ended.promise;
    screen.close();
    background.end();
    if (picker.copied !== "") await context.output.write(`${picker.copied}\n`);
    return typeof ending === "number" ? ending : await handOver(context, ending);
  } finally {
    screen.close();
    background.end();
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
  if (!effect) return picker.show(state);
  // What is done shows something itself; keys that were pressed ahead are for what comes out of it.
  picker.state = state;
  await perform(picker, effect);
}

function lookFor(context: Context): () => Look {
  const { colors } = context.output;
  let paint = (_: string, text: string) => text;
  context.places().then(
    (places) => {
      paint = (agent, text) => badge(agent, places, colors).replace(agent, () => text);
    },
    // Whoever needs them tells what is wrong.
    () => undefined,
  );
  return () => ({ colors, home: context.home.dir, badge: paint, now: Date.now() });
}

/** A moment of rest: moving through the list opens nothing. */
const RESTING_MS = 60;

/** The sessions and previews that come in while one types. */
function newBackground(
  picker: () => Picker,
  attempt: (work: () => void) => void,
  onError: (error: unknown) => void,
) {
  let rows: Rows | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  // What is drawn meanwhile is no reason to ask again.
  let asked: SessionSummary | undefined;
  const ask = (session: SessionSummary) => {
    if (rows) asked = session;
    rows?.preview(session);
  };
  const onAnswer = (answer: Answer) => {
    if (!isOver) attempt(() => picker().show(answered(picker().state, answer)));
  };
  return {
    async start() {
      const { rows: open } = await import("./rows.ts");
      if (isOver) return;
      rows = open(picker().context, onAnswer, onError);
      rows.load();
    },
    load: () => rows?.load(),
    rest() {
      clearTimeout(timer);
      const row = unread(picker().state);
      if (row && row.session !== asked) timer = setTimeout(() => ask(row.session), RESTING_MS);
    },
    end() {
      isOver = true;
      clearTimeout(timer);
      rows?.close();
      rows = undefined;
    },
  };
}

/** The session whose preview is to be seen and is not there yet. */
function unread(state: State): Row | undefined {
  const row = selectedRow(state);
  if (!row || state.panel || !layoutIn(state).preview) return undefined;
  return state.previews.get(row.key)?.updated === row.session.updated ? undefined : row;
}

function answered(state: State, answer: Answer): State {
  if (answer.type === "preview") return withPreview(state, rowOf(answer.session), answer.preview);
  const { sessions, progress, problems } = answer;
  const next = withProgress(sessions ? withSessions(state, sessions) : state, progress);
  const isTold = progress !== undefined || next.message !== "";
  return isTold ? next : { ...next, message: problems.join(" ") };
}
