// What every command works with, made from the options that stand before or after any command.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Adapter, Home } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import { newOutput, type Output, type OutputOptions } from "./output.ts";

export interface GlobalOptions extends OutputOptions {
  home?: string;
}

export interface Context {
  home: Home;
  /** What a command needs in its environment to find the same home. */
  environment: Readonly<Record<string, string>>;
  /** Our own data. */
  batonHome: string;
  output: Output;
  /** Loaded when they are asked for: not every command needs them. */
  adapters(): Promise<readonly Adapter[]>;
}

export function newContext(options: GlobalOptions): Context {
  const home = homeOf(options.home);
  return {
    home,
    environment: options.home === undefined ? {} : { HOME: home.dir },
    batonHome: resolve(process.env.BATON_HOME || join(home.dir, ".baton")),
    output: newOutput(options),
    async adapters() {
      const { adapters } = await import("../adapters/index.ts");
      // Whoever looks into a store asks for the adapters first, and only they know the projects.
      home.projects ??= await projects(home, adapters, options.home !== undefined);
      return adapters;
    },
  };
}

async function projects(home: Home, adapters: readonly Adapter[], isNamed: boolean) {
  const { projectsOf } = await import("../catalog/projects.ts");
  return projectsOf(home, adapters, { here: process.cwd(), isNamed });
}

/** A home that was named is looked at as it is: variables that move a store belong to the user's own. */
function homeOf(named: string | undefined): Home {
  if (named === undefined) return { dir: homedir(), env: process.env };
  const dir = resolve(named);
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return { dir, env: {} };
  throw new BatonError("not_found", `There is no folder ${dir}.`, "Check --home.");
}
