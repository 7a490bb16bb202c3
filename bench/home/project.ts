// Projects: each has its own names, files and topics, which its sessions come back to again and again. That is what
// makes transcripts compress and what makes some words frequent in few sessions.
import { generator, pick, type Random, whole } from "./random.ts";
import { accented, clause, identifier, novel, rareWord, word } from "./words.ts";

export interface Project {
  path: string;
  /** The name alone. */
  name: string;
  names: string[];
  topics: string[];
  files: string[];
  /** Lines that its files are made of. */
  lines: string[];
  /** What language its people write in beside English. */
  tongue: "plain" | "accented" | "cjk";
}

const EXTENSIONS = ["ts", "ts", "ts", "tsx", "py", "rs", "go", "md", "json", "css"];

export function makeProject(number: number): Project {
  const random = generator(1000 + number);
  const name = `${rareWord(random)}-${rareWord(random)}`;
  const many = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);
  const names = many(300, () => identifier(random));
  const roll = random();
  return {
    name,
    path: `/home/dev/${random() < 0.3 ? "work/" : ""}${name}`,
    names,
    topics: many(120, () => rareWord(random)),
    files: many(
      80,
      () =>
        `${pick(random, ["src", "lib", "test", "app"])}/${rareWord(random)}/${rareWord(random)}.${pick(random, EXTENSIONS)}`,
    ),
    lines: many(1500, () => codeLine(random, names)),
    tongue: roll < 0.1 ? "cjk" : roll < 0.25 ? "accented" : "plain",
  };
}

function codeLine(random: Random, names: readonly string[]): string {
  const indent = "  ".repeat(whole(random, 0, 4));
  const one = pick(random, names);
  const two = pick(random, names);
  const roll = random();
  if (roll < 0.2) return `${indent}const ${one} = await ${two}(${word(random)}, ${word(random)});`;
  if (roll < 0.35) return `${indent}if (${one}.${word(random)} !== ${two}) return ${word(random)};`;
  if (roll < 0.5) return `${indent}// ${sentence(random, 9)}`;
  if (roll < 0.6) return `${indent}${one}: ${two},`;
  if (roll < 0.7) return `import { ${one}, ${two} } from "./${word(random)}/${word(random)}";`;
  if (roll < 0.8) return `${indent}throw new Error(\`${sentence(random, 6)} \${${one}}\`);`;
  if (roll < 0.9) return `${indent}}`;
  return `${indent}expect(${one}(${word(random)})).toEqual("${word(random)} ${word(random)}");`;
}

function sentence(random: Random, words: number): string {
  let text = word(random);
  for (let left = words; left > 1; left--) text += ` ${word(random)}`;
  return text;
}

/** What people and models say: words, now and then a name, a file, something of the project's topic. */
export function prose(random: Random, project: Project, length: number): string {
  const foreign = project.tongue !== "plain" && random() < 0.5;
  let text = "";
  while (text.length < length) {
    if (foreign && project.tongue === "cjk" && random() < 0.7) {
      text += clause(random);
      continue;
    }
    for (let left = whole(random, 6, 22); left > 0 && text.length < length + 40; left--) {
      const roll = random();
      if (roll < 0.88) text += word(random);
      else if (roll < 0.93) text += pick(random, project.topics);
      else if (roll < 0.97) text += `\`${pick(random, project.names)}\``;
      else if (roll < 0.985) text += pick(random, project.files);
      else if (roll < 0.99) text += novel(random);
      else text += foreign ? accented(random) : word(random);
      text += " ";
    }
    text = `${text.trimEnd()}. ${random() < 0.15 ? "\n\n" : ""}`;
  }
  return text;
}

/** A file, or a piece of one: mostly lines that other files of the project have as well. */
export function code(random: Random, project: Project, length: number): string {
  const parts: string[] = [];
  let size = 0;
  while (size < length) {
    // Code is read in runs: what follows a line once follows it again.
    const from = Math.floor(random() * project.lines.length);
    const run =
      random() < 0.25
        ? [codeLine(random, project.names)]
        : project.lines.slice(from, from + whole(random, 3, 20));
    for (const line of run) {
      parts.push(line);
      size += line.length + 1;
    }
  }
  return parts.join("\n");
}

/** What programs print: times, levels, paths, numbers. */
export function log(random: Random, project: Project, length: number): string {
  const parts: string[] = [];
  let size = 0;
  for (let number = whole(random, 1, 400); size < length; number++) {
    const roll = random();
    const line =
      roll < 0.35
        ? `${pick(random, project.files)}:${number}:${pick(random, project.lines).trimStart()}`
        : roll < 0.6
          ? `[${novel(random)}] ${pick(random, ["INFO", "DEBUG", "WARN", "ERROR"])} ${sentence(random, whole(random, 4, 10))} ${novel(random)}`
          : roll < 0.8
            ? ` ✓ ${pick(random, project.files)} > ${sentence(random, 6)} ${whole(random, 1, 900)}ms`
            : `    at ${pick(random, project.names)} (${project.path}/${pick(random, project.files)}:${number}:${whole(random, 1, 80)})`;
    parts.push(line);
    size += line.length + 1;
  }
  return parts.join("\n");
}
