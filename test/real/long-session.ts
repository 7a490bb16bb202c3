// A long session of the real Claude Code: three turns that are worth leaving out, two long ones, and two short ones.
import type { Reply } from "../../src/loopback/reply.ts";
import type { There, User } from "./hop.ts";

/** About so many tokens that occur nowhere else. */
export function long(name: string, tokens: number): string {
  const lines = Array.from(
    { length: Math.ceil(tokens / 12) },
    (_, at) => ` Sentence ${at} is what ${name} has to say here.`,
  );
  return lines.join("\n");
}

interface LongTurn {
  prompt: string;
  replies: Reply[];
}

const longTurn = (name: string): LongTurn => ({
  prompt: `Tell me of ${name}.${long(`${name} as a prompt`, 800)}`,
  replies: [
    {
      text: `First ${name}.`,
      calls: [{ name: "Bash", input: { command: `for i in $(seq 60); do echo "$i of ${name}"; done` } }],
    },
    { text: `Told of ${name}.${long(`${name} as a reply`, 1800)}` },
  ],
});
const shortTurn = (name: string): LongTurn => ({
  prompt: `Name ${name}`,
  replies: [{ text: `It is ${name}.` }],
});

const oldest = ["apples", "pears", "plums"].map(longTurn);
const older = ["quinces", "cherries"].map(longTurn);
const newest = ["one", "two"].map(shortTurn);

const texts = (turns: readonly LongTurn[]) =>
  turns.flatMap(({ prompt, replies }) => [prompt, ...replies.flatMap(({ text = [] }) => text)]);

export const OLDEST = texts(oldest);
export const OLDER = texts(older);
export const NEWEST = texts(newest);

export async function longSession({ rig }: Pick<User, "rig">): Promise<There> {
  const claude = rig("claude");
  let id = "";
  for (const { prompt, replies } of [...oldest, ...older, ...newest]) {
    const turn = id === "" ? claude.start(prompt, replies) : claude.resume(id, prompt, replies);
    id = (await turn).id;
  }
  return { agent: "claude", id };
}
