// What every command works with, made from the options that stand before or after any command.
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Adapter, Home, Place } from "../adapters/adapter.ts";
import { BatonError } from "../session/error.ts";
import { newOutput, type Output, type OutputOptions } from "./output.ts";

export interface GlobalOptions extends OutputOptions {
  /** Hide keys, tokens and passwords: redaction.ts. */
  redact?: boolean;
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
  /** Where agents keep their sessions, which is all that many commands need of them. */
  places(): Promise<readonly Place[]>;
  /** Finds the projects that stores may lie in; `known` are some that are known already, and then all. */
  findProjects(known?: readonly string[]): Promise<void>;
}

export function newContext(options: GlobalOptions): Context {
  const home = homeOf(options.home);
  const context: Context = {
    home,
    environment: options.home === undefined ? {} : { HOME: home.dir },
    batonHome: resolve(process.env.BATON_HOME || join(home.dir, ".baton")),
    output: newOutput(options),
    async adapters() {
      const { adapters } = await import("../adapters/index.ts");
      // Whoever looks into a store asks for the adapters first.
      await context.findProjects();
      return adapters;
    },
    async places() {
      return (await import("../adapters/places.ts")).places;
    },
    async findProjects(known) {
      if (home.projects !== undefined) return;
      const { projectsOf } = await import("../catalog/projects.ts");
      const looking = { here: process.cwd(), isNamed: options.home !== undefined, known };
      home.projects = await projectsOf(home, await context.places(), looking);
    },
  };
  return context;
}

/** A home that was named is looked at as it is: variables that move a store belong to the user's own. */
function homeOf(named: string | undefined): Home {
  if (named === undefined) return { dir: homedir(), env: process.env };
  if (named === "") throw new BatonError("usage", "--home names no folder.", "Name one, or leave it out.");
  const dir = resolve(named);
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return { dir, env: {} };
  throw new BatonError("not_found", `There is no folder ${dir}.`, "Check --home.");
}
