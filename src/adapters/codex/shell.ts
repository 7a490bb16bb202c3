// Command lines: Codex has recorded them as argument lists and as shell text.

const SHELLS = /^(?:\/(?:usr\/)?bin\/)?(?:bash|sh|zsh)$/;
const SAFE = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** Shell text for an argument list. Exactly `[shell, "-lc", text]` is unwrapped; anything else is quoted. */
export function commandText(argv: readonly string[]): string {
  const [shell, flag, script] = argv;
  if (argv.length === 3 && SHELLS.test(shell ?? "") && flag === "-lc") return script ?? "";
  return argv.map(quote).join(" ");
}

function quote(argument: string): string {
  return SAFE.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
