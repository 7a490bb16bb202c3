// Numbers in JSON text that a program which calculates with them cannot hold: ids of twenty digits, 1e400.

const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?/gi;

/** The numbers that are others, or none at all, once the text was parsed. */
export function changedNumbers(json: string): string[] {
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
