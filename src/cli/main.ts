// The command line: finds the command, runs it, and turns whatever happens into an exit status. A command's
// file is loaded only when it is asked for, so that starting stays fast.
import { Command, CommanderError, Option } from "commander";
import { BatonError, EXIT_STATUS } from "../session/error.ts";
import type { CommandFile } from "./command.ts";
import { type GlobalOptions, newContext } from "./context.ts";
import { interruptible } from "./interrupt.ts";
import { endOfReader, newOutput } from "./output.ts";
import { hasScreen } from "./person.ts";
import { hideSecrets } from "./redaction.ts";
import { version } from "./version.ts";

const COMMANDS: Record<string, { summary: string; load(): Promise<CommandFile> }> = {
  list: { summary: "sessions of every agent, newest first", load: () => import("./commands/list.ts") },
  sync: {
    summary: "bring the catalog up to date with the stores",
    load: () => import("./commands/sync.ts"),
  },
  search: {
    summary: "everything that was said, in every agent",
    load: () => import("./commands/search.ts"),
  },
  show: { summary: "one session, as text or in a format", load: () => import("./commands/show.ts") },
  convert: { summary: "a session into another format", load: () => import("./commands/convert.ts") },
  resume: { summary: "go on with a session, in any agent", load: () => import("./commands/resume.ts") },
  analyse: {
    summary: "what a switch to another agent would do",
    load: () => import("./commands/analyse.ts"),
  },
  fork: { summary: "branch a session at any entry", load: () => import("./commands/fork.ts") },
  return: {
    summary: "bring turns made in another agent back",
    load: () => import("./commands/return.ts"),
  },
  undo: { summary: "take back what was written to a store", load: () => import("./commands/undo.ts") },
  operations: {
    summary: "everything that was written to stores",
    load: () => import("./commands/operations.ts"),
  },
  archive: {
    summary: "keep the bytes of every session",
    load: () => import("./commands/archive.ts"),
  },
  restore: {
    summary: "write a session back that its CLI has deleted",
    load: () => import("./commands/restore.ts"),
  },
  run: {
    summary: "run an agent live, on a new session or any other",
    load: () => import("./commands/run.ts"),
  },
  verify: {
    summary: "prove that the real CLI resumes a session",
    load: () => import("./commands/verify.ts"),
  },
  fidelity: {
    summary: "what survives from every agent into every other",
    load: () => import("./commands/fidelity.ts"),
  },
  status: {
    summary: "what is running, waiting or finished lately",
    load: () => import("./commands/status.ts"),
  },
  replay: { summary: "go through a session step by step", load: () => import("./commands/replay.ts") },
  compare: {
    summary: "two sessions side by side, prompt by prompt",
    load: () => import("./commands/compare.ts"),
  },
  schema: { summary: "the JSON Schema of the universal session", load: () => import("./commands/schema.ts") },
  usage: { summary: "tokens and cost of all sessions", load: () => import("./commands/usage.ts") },
  models: {
    summary: "known models, their names, abilities and prices",
    load: () => import("./commands/models.ts"),
  },
  completion: {
    summary: "let your shell complete commands and sessions",
    load: () => import("./commands/completion.ts"),
  },
  doctor: {
    summary: "agents, stores and what is wrong with them",
    load: () => import("./commands/doctor.ts"),
  },
};

/** Takes the arguments after the program's name and returns the exit status. */
export async function main(argv: string[]): Promise<number> {
  process.stdout.on("error", endOfReader);
  // Nobody reads our messages, which is no reason to end differently.
  process.stderr.on("error", () => undefined);
  try {
    return await interruptible(() => runCommand(argv));
  } catch (error) {
    const { error: own, status } = understood(error);
    const output = newOutput(optionsIn(argv));
    if (own) await output.error(own);
    if (own?.code === "failed" && error instanceof Error) output.detail(error.stack ?? "");
    return status;
  }
}

async function runCommand(argv: string[]): Promise<number> {
  const program = newProgram(optionsIn(argv).json ?? false);
  let status = 0;
  // Before anything can be printed, an error in the arguments included.
  await hideSecrets(optionsIn(argv).redact ?? false);
  for (const [name, { summary, load }] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(summary);
    if (!argv.includes(name)) continue;
    (await load()).define(command, async (work) => {
      status = (await work(newContext(program.opts<GlobalOptions>()))) ?? 0;
    });
  }
  const { operands, unknown } = program.parseOptions([...argv]);
  const stranger = strangerAmong(operands);
  try {
    if (operands.length + unknown.length === 0) await withoutCommand(program);
    else await program.parseAsync(stranger === undefined ? argv : [stranger], { from: "user" });
  } catch (error) {
    throw error instanceof CommanderError && error.exitCode !== 0
      ? usageError(error, pathOf(program, argv))
      : error;
  }
  return status;
}

/** What is meant as a command and is none: help about it would be about something else. */
function strangerAmong([first, second]: readonly string[]): string | undefined {
  const name = first === "help" ? second : first;
  return name === undefined || name === "help" || Object.hasOwn(COMMANDS, name) ? undefined : name;
}

/** The command that is meant, "archive prune"; empty where none is known. */
function pathOf(program: Command, argv: readonly string[]): string {
  const path: string[] = [];
  let command = program;
  for (const word of argv) {
    const next: Command | undefined = command.commands.find((one) => one.name() === word);
    if (next) path.push(next.name());
    command = next ?? command;
  }
  return path.join(" ");
}

/** Whoever sits in front of it gets to choose among the sessions; a script is told what there is. */
async function withoutCommand(program: Command): Promise<void> {
  const options = program.opts<GlobalOptions>();
  if (!hasScreen() || options.json) return program.outputHelp();
  const { pick } = await import("./picker/picker.ts");
  // The stores may still be read, which nobody waits for any more.
  process.exit(await pick(newContext(options)));
}

function newProgram(isJson: boolean): Command {
  const ours = version();
  const inJson = (text: string) => (text.trim() === ours ? { version: ours } : { help: text });
  return new Command("baton")
    .description(
      "One home for every coding-agent session. Without a command, on a terminal: choose among them.",
    )
    .version(ours, "--version")
    .option("--json", "one JSON document on stdout and nothing else there")
    .option("--home <dir>", "where agents' stores are looked for (default: your home)")
    .option("--no-color", "plain text")
    .addOption(new Option("--quiet", "only results and errors").conflicts("verbose"))
    .option("--verbose", "more detail")
    .option("--redact", "hide keys, tokens and passwords in what is printed")
    .configureHelp({ showGlobalOptions: true, visibleGlobalOptions: (command) => globalsOf(command) })
    .configureOutput({
      writeErr: () => undefined,
      writeOut: (text) => process.stdout.write(isJson ? `${JSON.stringify(inJson(text), null, 2)}\n` : text),
    })
    .hook("preAction", (_, command) => refuseOthers(command))
    .exitOverride();
}

/** Those that stand before or after any command. */
function globalsOf(command: Command): Option[] {
  const { parent } = command;
  if (!parent) return [];
  return parent.parent ? globalsOf(parent) : [...parent.options];
}

/** An option of the command above, which the one that is meant knows nothing of. */
function refuseOthers(command: Command): void {
  const { parent } = command;
  if (!parent?.parent) return;
  const given = parent.options.find((one) => parent.getOptionValueSource(one.attributeName()) === "cli");
  if (!given) return;
  const [above, own] = [parent.name(), `${parent.name()} ${command.name()}`];
  throw new BatonError(
    "usage",
    `${given.long} is an option of \`baton ${above}\` alone.`,
    `\`baton ${own} --help\` shows what there is.`,
  );
}

interface Understood {
  /** What to print; nothing where commander has printed already. */
  error?: BatonError;
  status: number;
}

function understood(error: unknown): Understood {
  if (error instanceof BatonError) return { error, status: EXIT_STATUS[error.code] };
  if (error instanceof CommanderError) return { status: error.exitCode };
  const own = systemError(error);
  return { error: own, status: EXIT_STATUS[own.code] };
}

/** "error: unknown command 'lits'\n(Did you mean list?)" becomes a sentence and a hint. */
function usageError(error: CommanderError, command: string): BatonError {
  const help = `\`baton ${command === "" ? "" : `${command} `}--help\` shows what there is.`;
  if (error.code === "commander.help") return new BatonError("usage", "There is no command.", help, error);
  const [first = "", suggestion] = error.message.replace(/^error: /, "").split("\n");
  const sentence = `${first.charAt(0).toUpperCase()}${first.slice(1).replace(/\.$/, "")}.`;
  return new BatonError("usage", sentence, suggestion?.replace(/^\(|\)$/g, "") ?? help, error);
}

const NO_ACCESS = new Set(["EACCES", "EPERM", "EROFS", "ENOSPC", "EDQUOT"]);

function systemError(error: unknown): BatonError {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (NO_ACCESS.has(code))
    return new BatonError(
      "not_writable",
      message,
      "Check the permissions and the free space, then try again.",
      error,
    );
  if (error instanceof RangeError && message.includes("call stack"))
    return new BatonError(
      "failed",
      "This session holds a value that is nested too deeply to be handled, thousands of levels.",
      "Nothing was written. Take that value out of the file, then try again.",
      error,
    );
  return new BatonError("failed", message, "`--verbose` shows where it happened.", error);
}

/** The options that decide how an error is printed, also when the arguments could not be parsed. */
function optionsIn(argv: readonly string[]): GlobalOptions {
  const own = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  const home = homeIn(own);
  return {
    ...(home !== undefined && { home }),
    json: own.includes("--json"),
    color: !own.includes("--no-color"),
    verbose: own.includes("--verbose"),
    redact: own.includes("--redact"),
  };
}

/** The last one counts, as where they are parsed. */
function homeIn(argv: readonly string[]): string | undefined {
  const at = argv.findLastIndex((word) => word === "--home" || word.startsWith("--home="));
  return argv[at] === "--home" ? argv[at + 1] : argv[at]?.slice("--home=".length);
}
