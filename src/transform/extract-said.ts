// What a summary without a model quotes from what was said: prompts, decisions, open questions and the summaries that
// models made before.
import { withoutControls } from "../session/escapes.ts";
import type { AssistantEntry, Compaction, Entry, UserEntry } from "../session/session.ts";
import type { Section } from "./fit.ts";
import { newest } from "./newest.ts";
import { isDecision, isQuestion, quote, sentencesIn } from "./quotes.ts";
import { isPrompt } from "./turn-facts.ts";

export interface Said {
  add(entry: Entry): void;
  /** The prompt that is being worked on, as it is quoted. */
  prompt(): string | undefined;
  sections(): { asked: Section; decisions: Section; questions: Section; context: Section };
}

const LONGEST_PROMPT = 200;
const LONGEST_SENTENCE = 240;
const MOST_PROMPTS = 500;
const MOST_DECISIONS = 200;
const MOST_QUESTIONS = 10;
/** So many of the last replies may hold a question that is still open. */
const LAST_REPLIES = 3;

export function newSaid(): Said {
  const prompts = newest<string>(MOST_PROMPTS);
  const decisions = newest<string>(MOST_DECISIONS);
  /** Of the user since the last reply, and of the replies since the last prompt. */
  let asked: string[] = [];
  let replies: string[][] = [];
  let last: string | undefined;
  let earlier: Earlier | undefined;
  let count = 0;

  function decide(who: string, sentence: string): void {
    const text = quote(sentence, LONGEST_SENTENCE);
    decisions.put(text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " "), `- ${who}: "${text}"`);
  }

  function prompted(entry: UserEntry): void {
    const text = quote(entry.content, LONGEST_PROMPT) || attached(entry);
    if (text === "") return;
    last = text;
    prompts.put(String(count++), `- "${text}"`);
    replies = [];
    for (const sentence of sentencesIn(entry.content)) {
      if (isDecision(sentence)) decide("User", sentence);
      if (isQuestion(sentence)) asked.push(`- User: "${quote(sentence, LONGEST_SENTENCE)}"`);
    }
    asked = asked.slice(-MOST_QUESTIONS);
  }

  function replied({ content }: AssistantEntry): void {
    if (content.trim() === "") return;
    asked = [];
    const questions: string[] = [];
    for (const sentence of sentencesIn(content)) {
      if (isDecision(sentence)) decide("Assistant", sentence);
      if (isQuestion(sentence)) questions.push(`- Assistant: "${quote(sentence, LONGEST_SENTENCE)}"`);
    }
    replies = [...replies, questions.slice(-MOST_QUESTIONS)].slice(-LAST_REPLIES);
  }

  return {
    add(entry) {
      earlier = summaryIn(entry) ?? earlier;
      if (entry.type === "assistant" && !entry.note) replied(entry);
      else if (entry.type === "user" && isPrompt(entry)) prompted(entry);
    },
    prompt: () => last,
    sections: () => ({
      asked: { title: "What was asked", lines: prompts.values(), lost: prompts.lost, rank: 1 },
      decisions: { title: "Decisions", lines: decisions.values(), lost: decisions.lost, rank: 4 },
      questions: { title: "Open questions", lines: [...new Set([...replies.flat(), ...asked])], rank: 6 },
      context: { title: "Technical context", lines: [], rank: 2, ...earlier, fromEnd: true, mark: "> " },
    }),
  };
}

/** A prompt without words may still show something. */
function attached({ parts = [] }: UserEntry): string {
  const kinds = parts.flatMap(({ type }) => (type === "image" || type === "document" ? [`[${type}]`] : []));
  return kinds.slice(0, 5).join(" ");
}

type Earlier = Required<Pick<Section, "lines" | "lost">>;

/** The summary that an entry is: of a compaction, or the message in which one was handed to the model. */
function summaryIn(entry: Entry): Earlier | undefined {
  const text = entry.type === "compaction" ? summaryOf(entry) : handedOver(entry);
  return text === undefined ? undefined : linesOf(text);
}

function summaryOf({ summary, replacement = [] }: Compaction): string | undefined {
  if (summary) return summary;
  const left = replacement.filter((one) => one.type === "user" && one.injected);
  const found = left.findLast((one) => handedOver(one) !== undefined) ?? left.at(-1);
  return found?.type === "user" ? found.content : undefined;
}

/** How agents begin a message that hands on a summary. */
const HANDED_OVER =
  /^\s*(?:\[Previous conversation summary|<(?:state_snapshot|summary)>|[^<]{0,300}(?:continued from a previous conversation|summary of (?:the|our|this|its|their) |produced a summary|conversation (?:so far|summary)))/i;

function handedOver(entry: Entry): string | undefined {
  if (entry.type !== "user" || !entry.injected || entry.note) return undefined;
  return HANDED_OVER.test(entry.content.slice(0, 500)) ? entry.content : undefined;
}

const LONGEST_LINE = 300;
const MOST_LINES = 120;
const MOST_CHARACTERS = 12_000;

/** Quoted lines, whatever they were quoted as before, so that a summary of summaries does not nest. */
function linesOf(text: string): Earlier | undefined {
  const lines: string[] = [];
  let total = 0;
  let characters = 0;
  let isFull = false;
  for (const line of withoutControls(text).split("\n")) {
    const plain = line.replace(/^[\s>]+/, "");
    if (plain.trim() === "" || plain.startsWith("[Previous conversation summary")) continue;
    total++;
    isFull ||= lines.length === MOST_LINES || characters > MOST_CHARACTERS;
    if (isFull) continue;
    const quoted = quote(plain, LONGEST_LINE);
    if (quoted !== "") lines.push(`> ${quoted}`);
    characters += quoted.length;
  }
  return lines.length === 0 ? undefined : { lines, lost: total - lines.length };
}
