// Quotations from a session: single harmless lines, and the sentences that decide something or ask something, in the
// languages that most sessions are written in.
import { oneLine } from "../session/title.ts";

/** A line of its own: the engine would otherwise keep the whole text that it was cut from in memory. */
export function quote(text: string, longest: number): string {
  return Buffer.from(oneLine(text, longest)).toString();
}

/** Of very long texts only both ends are looked at. */
const LOOKED_AT = 32 * 1024;
const LONGEST_SENTENCE = 600;

/** The sentences of a text without its code blocks. */
export function* sentencesIn(text: string): Generator<string> {
  const looked =
    text.length <= 2 * LOOKED_AT ? text : `${text.slice(0, LOOKED_AT)}\n${text.slice(-LOOKED_AT)}`;
  let isCode = false;
  for (const line of looked.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    else if (!isCode)
      for (const piece of line.split(BETWEEN)) {
        const sentence = piece.replace(MARKER, "").trim();
        if (sentence !== "" && sentence.length <= LONGEST_SENTENCE) yield sentence;
      }
  }
}

/** Behind a full stop comes a blank, as none does in a file's name; scripts without blanks have stops of their own. */
const BETWEEN = /(?<=[.!?…]["'”’)\]*_]{0,3})\s+|(?<=[。！？][」』”）]{0,2})/u;
const MARKER = /^(?:\s|[-*•>#]+\s|\d{1,3}[.)]\s)+/;

export function isQuestion(sentence: string): boolean {
  return /[?？؟]["'”’)\]*_」』）]{0,3}$/u.test(sentence) && /\p{L}/u.test(sentence);
}

/** It says so in words; what is only asked is not decided. */
export function isDecision(sentence: string): boolean {
  return DECISION.test(sentence) && !isQuestion(sentence);
}

const WORDS = [
  // English
  "decided (?:to|on|against|that)",
  "(?:my|our|the) decision(?: is|:)",
  "(?:we|I)(?:['’]ll| will) (?:use|go with|stick (?:with|to)|keep using)",
  "let['’]?s (?:go with|use|stick (?:with|to)|keep)",
  "go(?:ing)? with",
  "instead of",
  "chose",
  "opted (?:for|to)",
  "settled on",
  "switch(?:ed|ing) (?:over )?to",
  // German
  "entschieden",
  "Entscheidung",
  "(?:wir|ich) (?:verwenden?|nehmen?|nutzen?|benutzen?|bleiben? bei)",
  "(?:nehmen|verwenden|nutzen|benutzen) wir",
  "(?:an)?statt",
  "stattdessen",
  "(?:umgestellt|gewechselt) (?:auf|zu)",
  // French
  "décid(?:é|ée|ons|e) (?:de|d['’]|que)",
  "(?:nous|on) (?:allons|va) (?:utiliser|garder)",
  "(?:nous utiliserons|utilisons|on utilise)",
  "j['’](?:utilise|utiliserai|ai choisi|ai opté)",
  "(?:au lieu|à la place) (?:de|d['’])",
  "plutôt (?:que|qu['’])",
  "(?:avons|a) (?:choisi|opté)",
  "partons sur",
  // Spanish
  "decid(?:í|imos|ido|ió)",
  "(?:usaremos|utilizaremos|usemos|utilicemos)",
  "(?:vamos|voy) a (?:usar|utilizar)",
  "en (?:lugar|vez) de",
  "eleg(?:í|imos|ido)",
  "opt(?:é|amos) por",
];

/** Where words are not told apart by blanks. */
const SIGNS = [
  ..."决定 決定 改用 采用 採用 选择了 选用 選擇了 我们用 我们使用 我們使用 就用 而不是 换成 換成".split(" "),
  ..."ことにしました ことにします ことにした を使います を使用します の代わりに ではなく を選びました に切り替え に決め".split(
    " ",
  ),
];

const DECISION = new RegExp(`(?<!\\p{L})(?:${WORDS.join("|")})(?!\\p{L})|${SIGNS.join("|")}`, "iu");
