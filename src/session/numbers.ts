// Numbers in JSON text that a program which calculates with them cannot hold: ids of twenty digits, 1e400.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** Only so many digits, or such an exponent, can be too much. */
const SUSPECT = /\d[\d.]{15}|\de[+-]?\d{3}/i;

/** The numbers that are others, or none at all, once the text was parsed; none in a text that is no object, as a patch. */
export function changedNumbers(json: string): string[] {
  if (!SUSPECT.test(json) || !json.trimStart().startsWith("{")) return [];
  const tokens = json.match(TOKEN) ?? [];
  return tokens.filter((token) => !token.startsWith('"') && !survives(token));
}

function survives(token: string): boolean {
  const value = Number(token);
  return Number.isFinite(value) && digitsOf(String(value)) === digitsOf(token);
}

/** Two spellings of one number have the same digits at the same place. */
function digitsOf(token: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(token) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, "");
  const short = digits.replace(/0+$/, "");
  if (short === "") return "0";
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`;
}
