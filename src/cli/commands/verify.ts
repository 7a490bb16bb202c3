// verify: the real CLI resumes a copy of the session against a model on loopback, and what it says is compared.
import type { Command } from "commander";
import type { Adapter } from "../../adapters/adapter.ts";
import { BatonError, EXIT_STATUS } from "../../session/error.ts";
import type { Finding } from "../../verify/compare.ts";
import { isProven, type Verification, verify } from "../../verify/verify.ts";
import { type Run, SESSION } from "../command.ts";
import type { Context } from "../context.ts";
import { carriedInto, copied } from "../proof.ts";
import { openSession } from "../session.ts";
import { cut } from "../text.ts";
import { agentFor, isAtHome, refuseEmpty } from "./resume.ts";

export function define(command: Command, run: Run): void {
  command
    .argument("<session>", SESSION)
    .option("--in <agent>", "carry it into this agent first (default: the session's own agent)")
    .action((name: string, options: { in?: string }) => run((context) => check(context, name, options.in)));
}

async function check(context: Context, name: string, agent: string | undefined): Promise<number> {
  const { output, home } = context;
  const opened = await openSession(context, name);
  const adapter = await agentFor(context, opened, agent);
  refuseEmpty(opened.source, "prove");
  const cli = await adapter.version(home);
  if (!cli)
    throw new BatonError(
      "agent_not_installed",
      `${adapter.label} is not installed, or not in PATH.`,
      "The proof needs the real CLI: install it first.",
    );
  if (!output.isJson) output.message(`${adapter.label} ${cli.version} resumes a copy of it, twice …`);
  const result = await verify({
    adapter,
    cli,
    arrange: (privateHome, cwd) =>
      isAtHome(context, opened, adapter)
        ? copied(opened.native!.ref, adapter, home, { home: privateHome, cwd })
        : carriedInto(opened.source, { to: adapter, home: privateHome, cwd, cli }),
  });
  if (result.facts.total === 0)
    throw new BatonError(
      "refused",
      "There is nothing to prove: this session holds nothing that a model would see.",
      "`baton show SESSION --visible` shows what it holds.",
    );
  if (output.isJson) await output.json(result);
  else await print(context, adapter, result);
  return isProven(result) ? 0 : EXIT_STATUS.verification_failed;
}

async function print({ output }: Context, adapter: Adapter, result: Verification): Promise<void> {
  const { colors } = output;
  const { total, kept, changed, lost } = result.facts;
  const verdict = isProven(result) ? colors.green("✓ proven") : colors.red("✗ not proven");
  const lines = [
    `${verdict}: ${adapter.label} ${result.cliVersion} ${result.accepted ? "resumed" : "did not resume"} it`,
    `  ${total} facts: ${kept} kept, ${changed} changed, ${lost} lost`,
    ...result.problems.map((problem) => `  ${colors.red("problem")} ${cut(problem, 300)}`),
    ...result.missing.map((finding) => `  ${colors.yellow("missing")} ${findingText(finding)}`),
    ...result.unexpected.map((finding) => `  ${colors.yellow("unexpected")} ${findingText(finding)}`),
    ...result.foreign.map((host) => `  ${colors.red("contacted")} ${cut(host, 300)}`),
  ];
  await output.write(`${lines.join("\n")}\n`);
}

function findingText({ type, excerpt, reason, named }: Finding): string {
  return cut(`${type} "${excerpt}": ${reason}${named ? ` (announced: ${named})` : ""}`, 300);
}
