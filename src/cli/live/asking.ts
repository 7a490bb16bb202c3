// Asks the person at the terminal what an agent wants to know: a key for a permission, a line for a question.
import { createInterface } from "node:readline/promises";
import type { Decision } from "../../adapters/driver.ts";
import type { EventOf } from "../../session/events.ts";
import { decode } from "../keys.ts";
import type { Colors } from "../output.ts";
import { cut, harmless } from "../text.ts";
import { wordsOf } from "./render.ts";

export interface Person {
  note(text: string): void;
  colors: Colors;
  width(): number;
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
  return event.questions
    ? askQuestions(event.questions, person, signal)
    : askPermission(event, label, person, signal);
}

async function askPermission(event: Request, label: string, person: Person, signal: AbortSignal) {
  const { colors, note } = person;
  note(
    `${colors.yellow(`${label} asks:`)} ${event.name} ${cut(wordsOf(event.input), person.width() - 20)}\n`,
  );
  if (event.reason !== undefined) note(`${colors.dim(harmless(event.reason))}\n`);
  for (const line of detailsOf(event)) note(`${colors.dim(`    ${line}`)}\n`);
  note("[y]es, [a]lways in this session, [n]o? ");
  const key = await keyOf("yan", person, signal);
  note(key === undefined ? "\n" : `${key}\n`);
  if (key === undefined) return undefined;
  return key === "n"
    ? { allow: false, message: "The user does not allow it." }
    : { allow: true, ...(key === "a" && { always: true }) };
}

const MOST_LINES = 12;

/** What would be written or run, where it has more than one line. */
function detailsOf({ input }: Request): string[] {
  const texts = [input.command, input.content, input.old_string, input.new_string, input.patch];
  const lines = texts.flatMap((text) => (typeof text === "string" ? harmless(text).split("\n") : []));
  if (lines.length < 2) return [];
  return lines.length > MOST_LINES
    ? [...lines.slice(0, MOST_LINES), `… ${lines.length - MOST_LINES} more`]
    : lines;
}

/** The first of these keys that is pressed; Enter and Escape mean none of them. */
function keyOf(keys: string, person: Person, signal: AbortSignal): Promise<string | undefined> {
  const { stdin } = process;
  return new Promise((resolve) => {
    const done = (key: string | undefined) => {
      stdin.off("data", onData);
      signal.removeEventListener("abort", onAbort);
      stdin.setRawMode?.(false);
      stdin.pause();
      resolve(key);
    };
    const onAbort = () => done(undefined);
    const onData = (data: Buffer) => {
      for (const key of decode(data.toString()).keys) {
        if (key.type === "named" && (key.name === "interrupt" || key.name === "eof")) {
          done(undefined);
          person.onInterrupt();
          return;
        }
        const letter = key.type === "text" ? key.text.toLowerCase() : "";
        if (letter !== "" && keys.includes(letter)) return done(letter);
      }
    };
    if (signal.aborted) return resolve(undefined);
    signal.addEventListener("abort", onAbort, { once: true });
    stdin.setRawMode?.(true);
    stdin.on("data", onData).resume();
  });
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
  { question, options = [], multiple }: NonNullable<Request["questions"]>[number],
  person: Person,
  signal: AbortSignal,
): Promise<string | string[] | undefined> {
  person.note(`${person.colors.yellow(harmless(question))}\n`);
  for (const [at, { label, description }] of options.entries())
    person.note(
      `  ${at + 1}. ${harmless(label)}${description ? person.colors.dim(` ${harmless(description)}`) : ""}\n`,
    );
  const how =
    options.length === 0 ? "" : multiple ? "numbers, or your own words" : "a number, or your own words";
  const answer = await lineOf(`${how}> `, person, signal);
  if (answer === undefined) return undefined;
  const chosen = answer.split(/[\s,]+/).map((word) => options[Number(word) - 1]?.label);
  const isChosen = chosen.every((label) => label !== undefined);
  if (!isChosen) return answer;
  return multiple ? chosen.filter((label) => label !== undefined) : (chosen[0] ?? answer);
}

/** A line that the person types; undefined when there is none any more. */
export async function lineOf(
  prompt: string,
  person: Person,
  signal: AbortSignal,
): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const ended = new Promise<undefined>((resolve) => {
    lines.once("close", () => resolve(undefined));
    lines.once("SIGINT", () => {
      lines.close();
      person.onInterrupt();
    });
  });
  try {
    return await Promise.race([lines.question(prompt, { signal }).catch(() => undefined), ended]);
  } finally {
    lines.close();
    process.stdin.pause();
  }
}
