// Before any test: the CLIs, installed once and kept.
import { installCli, NAMES } from "./install.ts";

export async function setup(): Promise<void> {
  for (const name of NAMES) await installCli(name);
}
