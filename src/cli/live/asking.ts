// Asks the person at the terminal what an agent wants to know: a key for a permission, a line for a question. What it is
// about is shown first, and no key counts that was pressed before.
import { readFile } from "node:fs/promises";
import type { Decision } from "../../adapters/driver.ts";
import type { EventOf } from "../../session/events.ts";
import { jsonIn } from "../../session/json.ts";
import type { Colors, Drawn } from "../output.ts";
import { cut, disclosed, harmless } from "../text.ts";
import { wrapped } from "../wrap.ts";
import { type Detail, detailLines, detailsOf, ownDetails } from "./details.ts";
import { isControl, type Keyboard, type Stroke } from "./keyboard.ts";
import { isShown } from "./left-out.ts";
import { type LineOptions, openLine } from "./line.ts";
import { erased } from "./page.ts";

export interface Person {
  note(text: string): void;
  colors: Colors;
  width(): number;
  height(): number;
  keyboard: Keyboard;
  output: LineOptions["output"];
  /** Nothing else is drawn any more. */
  rest(): Promise<void>;
  /** What waits for keys now, and nothing once it does not any more. */
  drawn(one: Drawn | undefined): void;
  onInterrupt(): void;
}

type Request = EventOf<"approval_request">;

/** Undefined = the question was withdrawn, or the person interrupts. */
export async function askPerson(
  event: Request,
  label: string,
  person: Person,
  signal: AbortSignal,
): Promise<Decision | undefined> {
  const { reason = "", questions } = event;
  const { colors, note } = person;
  if (questions && reason === "") return askQuestions(questions, person, signal);
  note(`${colors.yellow(`${harmless(label)} asks:`)} ${nameOf(event)}\n`);
  for (const line of wrapped(disclosed(reason), person.width() - 1))
    if (line !== "") note(`${colors.dim(line)}\n`);
  return questions ? askQuestions(questions, person, signal) : askPermission(event, person, signal);
}

/** In our words, and in the agent's where that is another. */
function nameOf({ name, native }: Request): string {
  const isSame = native === undefined || plainName(native.name) === plainName(name);
  return cut(disclosed(isSame ? name : `${name} (${native.name})`), LONGEST_NAME);
}

function plainName(name: string): string {
  return name.replaceAll("_", "").toLowerCase();
}

const LONGEST_NAME = 200;

async function askPermission(event: Request, person: Person, signal: AbortSignal) {
  const { colors, note } = person;
  const lines = detailLines(await detailsFor(event, person), person.width(), colors);
  const shown = fitting(lines, person.height());
  for (const line of shown) note(`${line}\n`);
  const always = event.always?.map((one) => cut(disclosed(one), LONGEST_NAME)).join("; ");
  if (always !== undefined)
    for (const line of wrapped(`always would allow: ${always}`, person.width() - 5))
      note(`${colors.dim(`    ${line}`)}\n`);
  const isWhole = shown === lines;
  const choices = `[y]es, [a]lways in this session, [n]o${isWhole ? "" : ", [v]iew all of it"}? `;
  for (;;) {
    const key = await keyOf(isWhole ? "yan" : "yanv", choices, person, signal);
    if (key === undefined) return undefined;
    note(`${choices}${key}\n`);
    if (key === "v") note(`${lines.join("\n")}\n`);
    else if (key === "n") return { allow: false, message: "The user does not allow it." };
    else return { allow: true, ...(key === "a" && { always: true }) };
  }
}

/** What is asked for, and where our words leave something out, the agent's own as well. */
async function detailsFor({ native, ...event }: Request, person: Person): Promise<Detail[]> {
  const input = (await whole(event, person)) as Request["input"];
  const own = native && (await whole(native, person));
  if (own === undefined || isShown(own, input)) return detailsOf(input);
  return [
    ...detailsOf(input),
    { mark: "", text: `${native?.name}, as the agent has it:` },
    ...ownDetails(own),
  ];
}

/** Where arguments were too long for the stream, a file has all of them. */
async function whole(
  { input, input_path }: { input?: unknown; input_path?: string | undefined },
  { note, colors }: Person,
): Promise<unknown> {
  if (input_path === undefined) return input;
  try {
    const all = jsonIn(await readFile(input_path, "utf8"));
    if (typeof all === typeof input && all !== null) return all;
    note(`${colors.yellow("warning:")} ${harmless(input_path)} does not hold what the agent asks for.\n`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    note(`${colors.yellow("warning:")} Not all of it can be shown: ${harmless(why)}\n`);
  }
  return input;
}

/** The end is seen as well as the beginning: what is dangerous may stand there. */
const LAST_LINES = 5;
const LEAST_LINES = 12;
/** For what stands around it. */
const OTHER_LINES = 8;

function fitting(lines: string[], height: number): string[] {
  const room = Math.max(LEAST_LINES, height - OTHER_LINES);
  if (lines.length <= room) return lines;
  const first = room - LAST_LINES - 1;
  const hidden = lines.length - first - LAST_LINES;
  return [...lines.slice(0, first), `    … ${hidden} more lines …`, ...lines.slice(-LAST_LINES)];
}

/** The first of these keys that is pressed alone; Enter, Escape, words and pastes are none of them. */
async function keyOf(
  keys: string,
  choices: string,
  person: Person,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { keyboard, note } = person;
  await keyboard.quiet(signal);
  await person.rest();
  if (signal.aborted) return undefined;
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let isShown = false;
  const draw = (isWanted: boolean) => {
    if (isWanted !== isShown) note(isWanted ? choices : erased(choices, person.width()));
    isShown = isWanted;
  };
  const question = { hide: () => draw(false), show: () => draw(true) };
  const stop = keyboard.listen({
    onStrokes(strokes) {
      const [only, ...others] = strokes;
      if (!only || others.length > 0) return;
      const key = letterOf(only);
      if (key !== "" && keys.includes(key)) resolve(key);
      else if (isControl(only, "d")) giveUp();
    },
    onInterrupt: () => giveUp(),
  });
  const giveUp = () => {
    resolve(undefined);
    person.onInterrupt();
  };
  const onAbort = () => resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  question.show();
  person.drawn(question);
  const key = await promise;
  signal.removeEventListener("abort", onAbort);
  stop();
  keyboard.settle();
  person.drawn(undefined);
  question.hide();
  return key;
}

function letterOf(stroke: Stroke): string {
  if (stroke.type === "paste" || stroke.key.ctrl || stroke.key.meta) return "";
  return (stroke.text ?? "").toLowerCase();
}

async function askQuestions(
  questions: NonNullable<Request["questions"]>,
  person: Person,
  signal: AbortSignal,
): Promise<Decision | undefined> {
  const answers: Record<string, string | string[]> = {};
  for (const one of questions) {
    const answer = await askQuestion(one, person, signal);
    if (answer === undefined) return undefined;
    answers[one.question] = answer;
  }
  return { allow: true, answers };
}

async function askQuestion(
  { question, header, options = [], multiple }: NonNullable<Request["questions"]>[number],
  person: Person,
  signal: AbortSignal,
): Promise<string | string[] | undefined> {
  const { colors, note } = person;
  const words = header === undefined || header === question ? question : `${header}: ${question}`;
  note(`${colors.yellow(disclosed(words))}\n`);
  for (const [at, { label, description }] of options.entries())
    note(`  ${at + 1}. ${disclosed(label)}${description ? colors.dim(` ${disclosed(description)}`) : ""}\n`);
  const how =
    options.length === 0 ? "" : multiple ? "numbers, or your own words" : "a number, or your own words";
  const answer = await answerOf(`${how}> `, person, signal);
  if (answer === undefined) return undefined;
  const chosen = answer
    .trim()
    .split(/[\s,]+/)
    .map((word) => (/^\d+$/.test(word) ? options[Number(word) - 1]?.label : undefined));
  const isChosen = chosen.every((label) => label !== undefined) && (multiple || chosen.length === 1);
  if (!isChosen) return answer;
  return multiple ? chosen.filter((label) => label !== undefined) : (chosen[0] ?? answer);
}

/** A line that was begun once the question could be read. */
async function answerOf(prompt: string, person: Person, signal: AbortSignal): Promise<string | undefined> {
  await person.keyboard.quiet(signal);
  await person.rest();
  if (signal.aborted) return undefined;
  const line = openLine({ keyboard: person.keyboard, output: person.output, prompt });
  signal.addEventListener("abort", line.close, { once: true });
  line.show();
  person.drawn(line);
  const end = await line.ended;
  signal.removeEventListener("abort", line.close);
  person.drawn(undefined);
  if (end.type === "text") return end.text;
  if (!signal.aborted) person.onInterrupt();
  return undefined;
}
