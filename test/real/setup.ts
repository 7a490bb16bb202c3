// Before any test: the CLIs, installed once and kept.
import { CLIS, type CliName, installCli } from "./install.ts";

export async function setup(): Promise<void> {
  for (const name of Object.keys(CLIS)) await installCli(name as CliName);
}
