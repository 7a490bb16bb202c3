// The vocabulary: 50,000 words used as often as Zipf's law says, names made of them as programmers make names, and
// what nobody says twice: hashes, ids, numbers. An index over it grows as one over real transcripts does.
import { generator, hex, pick, type Random, uuid, whole } from "./random.ts";

const WORDS = 50_000;
/** Large enough that the rarest word still gets a place. */
const PLACES = 1 << 20;

/** The commonest words, in the order in which people and models use them. */
const COMMON =
  `the to of and a in is it for that this on with be are as not you i we if from or an can will have so now let
  file test error function code when all but use should there no do at by was need which see one has run line
  then add check return first value new only into call its also data set get just read like type name make your
  time what how where because same path string user list result each after more these some change before build
  output does write work update case find still command key default order state version request message object
  class method number already would instead both object missing here two output system config module import
  export session record index table query cache token parse server client stream buffer offset branch commit
  merge failed passed warning expected received undefined null true false const async await promise`
    .split(/\s+/)
    .filter((word, at, all) => word !== "" && all.indexOf(word) === at);

const ONSETS =
  "b c d f g h j k l m n p r s t v w z br ch cl cr dr fl fr gl gr pl pr qu sc sh sl sp st str th tr".split(
    " ",
  );
const VOWELS = "a e i o u a e i o ai ea ee ia io oo ou".split(" ");
const CODAS = ["", "", "", "n", "r", "s", "t", "l", "m", "d", "ck", "nd", "nt", "rs", "st", "ng", "x"];
const ENDINGS = ["", "", "", "ed", "er", "ing", "s", "ion", "able", "ment", "ity", "ous", "al", "ly"];

const WORD_LIST: readonly string[] = wordList();
const TABLE = placesOf(WORD_LIST.length);

function wordList(): string[] {
  const random = generator(20_260_101);
  const known = new Set<string>(COMMON);
  while (known.size < WORDS) {
    // Frequent words are short.
    const syllables = known.size < 1500 ? whole(random, 1, 2) : whole(random, 2, 3);
    let word = "";
    for (let at = 0; at < syllables; at++)
      word += pick(random, ONSETS) + pick(random, VOWELS) + pick(random, CODAS);
    word += pick(random, ENDINGS);
    if (word.length > 2) known.add(word);
  }
  return [...known];
}

/** Each word as often as its rank says (Zipf and Mandelbrot), so that one random number finds a word. */
function placesOf(count: number): Uint16Array {
  const weights = Array.from({ length: count }, (_, rank) => 1 / (rank + 2.7) ** 1.05);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const table = new Uint16Array(PLACES);
  let at = 0;
  let share = 0;
  for (const [rank, weight] of weights.entries()) {
    share += weight / total;
    const end = Math.max(at + 1, Math.round(share * PLACES));
    for (; at < end && at < PLACES; at++) table[at] = rank;
  }
  return table;
}

export function word(random: Random): string {
  return WORD_LIST[TABLE[(random() * PLACES) | 0] as number] as string;
}

/** A word that few texts have. */
export function rareWord(random: Random): string {
  return WORD_LIST[whole(random, 2000, WORDS - 1)] as string;
}

/** A name as programs have it, mostly of words that are not frequent. */
export function identifier(random: Random): string {
  const parts = Array.from({ length: whole(random, 2, 3) }, () =>
    random() < 0.4 ? word(random) : rareWord(random),
  );
  const roll = random();
  if (roll < 0.5) return parts.map((part, at) => (at === 0 ? part : capital(part))).join("");
  if (roll < 0.75) return parts.join("_");
  if (roll < 0.92) return parts.map(capital).join("");
  return parts.join("_").toUpperCase();
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** What is said once and never again. */
export function novel(random: Random): string {
  const roll = random();
  if (roll < 0.45) return String(Math.floor(random() ** 3 * 1e7));
  if (roll < 0.65) return hex(random, 7);
  if (roll < 0.75) return `0x${hex(random, 8)}`;
  if (roll < 0.82) return hex(random, 40);
  if (roll < 0.9) return uuid(random);
  return `${whole(random, 0, 23)}:${whole(random, 10, 59)}:${whole(random, 10, 59)}.${whole(random, 100, 999)}`;
}

const ACCENTED =
  "über größe façade naïve año señal prüfung ändern déjà élève ошибка файл проверка функция сессия".split(
    " ",
  );
const HAN =
  "的一是不了在有个这上我们来到时大地为子中说生国年着就那和要她出也得里后自以会家可下而过天去能对小多然于心学么之都好看起发当没成只如事把还用第样道想作种开";
const KANA =
  "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんコメントファイルテストエラー";
const HANGUL = "가나다라마바사아자차카타파하이그에는을를의도로서고기지어시요한일수정보문제";

export const accented = (random: Random): string => pick(random, ACCENTED);

/** A clause without blanks, as Chinese and Japanese are written; Korean has them. */
export function clause(random: Random): string {
  const roll = random();
  const letters = roll < 0.6 ? HAN : roll < 0.9 ? HAN + KANA : HANGUL;
  let text = "";
  for (let left = whole(random, 6, 24); left > 0; left--)
    text += letters[Math.floor(random() * letters.length)];
  return roll < 0.9 ? `${text}。` : `${text} `;
}
