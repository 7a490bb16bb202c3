// Who can be run by which name: the agents of the table, and any other that speaks the Agent Client Protocol, by its
// command (`acp:COMMAND`).
import type { Adapter, Home } from "../adapters/adapter.ts";
import type { Driver } from "../adapters/driver.ts";
import { findProgram } from "../adapters/program.ts";
import { BatonError } from "../session/error.ts";
import type { Who } from "./failures.ts";

export interface Runnable {
  id: string;
  /** Whose badge the session carries. */
  provider: string;
  // biome-ignore lint/suspicious/noExplicitAny: each driver has a state of its own, opaque to everybody else.
  driver: Driver<any>;
  /** Its path; null = it is not installed. */
  program: string | null;
  who: Who;
  /** Where its sessions are; absent = nobody knows. */
  adapter?: Adapter;
}

const ACP = "acp:";

export async function runnable(name: string, adapters: readonly Adapter[], home: Home): Promise<Runnable> {
  if (name.startsWith(ACP)) return anyAgent(name.slice(ACP.length).trim(), home);
  const adapter = adapters.find(({ id }) => id === name);
  if (!adapter?.run) throw notRunnable(name, adapter, adapters);
  const [program = ""] = adapter.run.launch(NOTHING).argv;
  const account = await adapter.account?.(home);
  return {
    id: adapter.id,
    provider: adapter.badge,
    driver: adapter.run,
    program: (await findProgram(program, home)) ?? null,
    who: { label: adapter.label, ...(account && { login: account.login }) },
    adapter,
  };
}

/** Only asked which program it is. */
const NOTHING = { home: { dir: "", env: {} }, cwd: "", mode: "default", secret: "", version: "" } as const;

/** A shell takes the command apart, as the user meant it. */
async function anyAgent(command: string, home: Home): Promise<Runnable> {
  if (command === "")
    throw new BatonError(
      "usage",
      "acp: names no command.",
      'Write the command that starts the agent, such as "acp:my-agent --acp".',
    );
  const { acpDriver } = await import("../adapters/acp.ts");
  const [word = ""] = command.split(/\s/, 1);
  // A name by itself is looked up; of anything else only the shell knows what it is.
  const isThere = !/^[\w.+-]+$/.test(word) || (await findProgram(word, home)) !== undefined;
  return {
    id: "acp",
    provider: "acp",
    driver: acpDriver({ argv: ["sh", "-c", `exec ${command}`] }),
    program: isThere ? "/bin/sh" : null,
    who: { label: word },
  };
}

function notRunnable(name: string, adapter: Adapter | undefined, adapters: readonly Adapter[]): BatonError {
  const others = adapters.flatMap(({ id, run }) => (run ? [id] : []));
  const hint = `Name one of ${others.join(", ")}, or acp:COMMAND.`;
  return adapter
    ? new BatonError("unsupported", `${adapter.label} has no program that could be run.`, hint)
    : new BatonError("usage", `There is no agent called "${name}".`, hint);
}
