// Shell text as far as a comparison needs it: its words, and the few commands that may stand for a file tool.

/** The words of a command as a shell takes them, nothing expanded; undefined where it does more than that. */
function plainWords(command: string): string[] | undefined {
  if (/[;&|<>`$()\n]/.test(command.replace(/'[^']*'/g, ""))) return undefined;
  return shellWords(command);
}

function shellWords(command: string): string[] {
  const words = command.match(/(?:[^\s'"\\]|\\.|'[^']*'|"(?:[^"\\]|\\.)*")+/gs) ?? [];
  return words.map((word) =>
    word.replace(
      /'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)/gs,
      (_, single, double, escaped) => single ?? double?.replace(/\\(["\\$`])/g, "$1") ?? escaped,
    ),
  );
}

const SHELLS = /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh|zsh)$/;

/** Whether a command on the wire, text or words, is this one and nothing else. */
export function isCommand(have: unknown, wanted: string): boolean {
  if (typeof have === "string") return have === wanted;
  if (!Array.isArray(have)) return false;
  const [shell, flag, script] = have;
  if (have.length === 3 && SHELLS.test(String(shell)) && /^-l?c$/.test(String(flag)))
    return script === wanted;
  return sameWords(have, shellWords(wanted));
}

/** The same in a folder of its own. */
export function isCommandIn(have: unknown, folder: string, wanted: string): boolean {
  if (typeof have !== "string" || !have.endsWith(` && ${wanted}`)) return false;
  const words = plainWords(have.slice(0, -` && ${wanted}`.length));
  return (
    words !== undefined &&
    sameWords(
      words.filter((word) => word !== "--"),
      ["cd", folder],
    )
  );
}

/** The operands of `name -- a b`, or undefined where the command is another or does more. */
export function operands(have: unknown, name: string): string[] | undefined {
  const words = typeof have === "string" ? plainWords(have) : undefined;
  if (words?.[0] !== name) return undefined;
  const rest = words.slice(words[1] === "--" ? 2 : 1);
  return words[1] !== "--" && rest.some((word) => word.startsWith("-")) ? undefined : rest;
}

function sameWords(have: readonly unknown[], wanted: readonly string[]): boolean {
  return have.length === wanted.length && have.every((word, at) => word === wanted[at]);
}
