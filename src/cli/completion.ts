// What could come next on a command line that is being typed: commands, options, their values, sessions. It knows
// nothing by itself and asks the commands as they are defined.
import type { Argument, Command, Option } from "commander";

export interface Candidate {
  value: string;
  about: string;
}

/** What only a look at the disk, or at the agents, can answer; asked for only when it is needed. */
export interface Sources {
  agents(): Promise<readonly Candidate[]>;
  /** Those of them that sessions can be written for. */
  targets(): Promise<readonly Candidate[]>;
  /** Those of them that can be run. */
  runnable(): Promise<readonly Candidate[]>;
  providers(): Promise<readonly Candidate[]>;
  scopes(): Promise<readonly Candidate[]>;
  formats(): Promise<readonly Candidate[]>;
  sessions(prefix: string): Promise<readonly Candidate[]>;
  /** Sessions that only the archive holds any more. */
  archived(prefix: string): Promise<readonly Candidate[]>;
  /** What can be taken back. */
  operations(): Promise<readonly Candidate[]>;
  models(): Promise<readonly Candidate[]>;
}

/**
 * `words` are those after the program's name, the last one being typed. None where a path can stand: shells complete
 * those better.
 */
export async function candidates(
  program: Command,
  words: readonly string[],
  sources: Sources,
): Promise<Candidate[]> {
  const current = words.at(-1) ?? "";
  const line = walked(program, words.slice(0, -1));
  const begun = (list: readonly Candidate[]) => list.filter(({ value }) => value.startsWith(current));
  const assigned = /^(--[^=]+)=/.exec(current);
  if (assigned && !line.isLiteral) {
    const option = optionsOf(line.command).find(({ long }) => long === assigned[1]);
    const values = option ? await valuesOf(option, current.slice(assigned[0].length), sources) : [];
    return begun(values.map(({ value, about }) => ({ value: `${assigned[1]}=${value}`, about })));
  }
  if (line.open && !(line.open.isFull && current.startsWith("-"))) {
    const values = begun(await valuesOf(line.open.option, current, sources));
    if (!line.open.isFull || values.length > 0) return values;
  }
  if (current.startsWith("-") && !line.isLiteral) return begun(flagsOf(line));
  if (isPath(current)) return [];
  const commands = line.operands === 0 ? begun(commandsOf(line.command)) : [];
  if (line.isHelp) return commands;
  return [...commands, ...begun(await operandsOf(line, current, sources))];
}

/** What can only be meant as a path. */
function isPath(word: string): boolean {
  return /^[.~]|\//.test(word);
}

interface Line {
  command: Command;
  /** How many words stand there that are neither options nor their values. */
  operands: number;
  given: ReadonlySet<string>;
  /** The option that the next word belongs to; full: it may, but need not. */
  open?: { option: Option; isFull: boolean };
  /** Behind `help`, where only commands are named. */
  isHelp: boolean;
  /** Behind `--`. */
  isLiteral: boolean;
}

function walked(program: Command, words: readonly string[]): Line {
  const given = new Set<string>();
  let command = program;
  let operands = 0;
  let isHelp = false;
  let open: Line["open"];
  for (const [at, word] of words.entries()) {
    if (word === "--") {
      operands += words.length - at - 1;
      return { command, operands, given, isHelp, isLiteral: true };
    }
    if (word.startsWith("-") && word !== "-") {
      open = undefined;
      const [flag = "", value] = word.split("=", 2);
      const option = optionsOf(command).find(({ long, short }) => long === flag || short === flag);
      if (!option) continue;
      given.add(option.attributeName());
      if (value === undefined && (option.required || option.optional))
        open = { option, isFull: option.optional };
      continue;
    }
    if (open && !open.isFull) {
      open = open.option.variadic ? { ...open, isFull: true } : undefined;
      continue;
    }
    const next: Command | undefined =
      operands === 0 ? command.commands.find((one) => one.name() === word) : undefined;
    // More values of an option and operands look alike; what a command is called is meant as that.
    if (!next && open) continue;
    open = undefined;
    if (next) command = next;
    else if (word === "help" && command === program && operands === 0) isHelp = true;
    else operands++;
  }
  return { command, operands, given, isHelp, isLiteral: false, ...(open && { open }) };
}

/** A command's own, and those that stand before or after any command. */
function optionsOf(command: Command): Option[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return command.parent ? [...own, ...optionsOf(command.parent)] : own;
}

function flagsOf({ command, given }: Line): Candidate[] {
  const left = optionsOf(command).filter((option) => option.variadic || !given.has(option.attributeName()));
  const flags = left.map(({ long, short, description }) => ({
    value: long ?? short ?? "",
    about: description,
  }));
  return [...flags, { value: "--help", about: "what there is" }];
}

function commandsOf(command: Command): Candidate[] {
  const own = command.commands.map((one) => ({ value: one.name(), about: one.description() }));
  return command.parent ? own : [...own, { value: "help", about: "how a command is used" }];
}

/** Behind a comma, where several can be given, what stands before it is kept and not offered again. */
async function valuesOf(option: Option, current: string, sources: Sources): Promise<readonly Candidate[]> {
  const values = await singleValues(option, current, sources);
  const given = current.split(",").slice(0, -1);
  if (given.length === 0 || !option.description.includes("with commas")) return values;
  return values
    .filter(({ value }) => !given.includes(value))
    .map(({ value, about }) => ({ value: [...given, value].join(","), about }));
}

async function singleValues(
  option: Option,
  current: string,
  sources: Sources,
): Promise<readonly Candidate[]> {
  if (option.argChoices) return option.argChoices.map((value) => ({ value, about: "" }));
  if (option.long === "--in") return sources.targets();
  if (/<provider>/.test(option.flags)) return sources.providers();
  if (option.long === "--model") return sources.models();
  if (/<time>/.test(option.flags)) return TIMES;
  if (/<session>/.test(option.flags)) return sources.sessions(current);
  if (/<scopes>/.test(option.flags)) return sources.scopes();
  if (/<agents?\b/.test(option.flags)) return sources.agents();
  if (/<format>/.test(option.flags)) return [...(await sources.formats()), ...(await sources.agents())];
  return [];
}

/** Any date does; these show how it is written. */
const TIMES: readonly Candidate[] = [
  { value: "1d", about: "a day ago" },
  { value: "7d", about: "a week ago" },
  { value: "4w", about: "four weeks ago" },
];

async function operandsOf(
  { command, operands }: Line,
  current: string,
  sources: Sources,
): Promise<readonly Candidate[]> {
  const { registeredArguments: all } = command;
  const argument = all[operands] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  if (!argument) return [];
  if (argument.argChoices) return argument.argChoices.map((value) => ({ value, about: "" }));
  if (argument.name() === "operation") return sources.operations();
  if (argument.name() === "model") return sources.models();
  if (argument.name() === "agent") return sources.runnable();
  if (!isSession(argument)) return [];
  return command.name() === "restore" ? sources.archived(current) : sources.sessions(current);
}

function isSession(argument: Argument): boolean {
  return ["session", "source", "first", "second"].includes(argument.name());
}
