// Whether the target could go on at once: its CLI is there, signed in, not at a limit, and of a version that is proven.
import type { SwitchTarget } from "./target.ts";
import { type SwitchWarning, warningOf } from "./warnings.ts";
import { wait } from "./wording.ts";

export function readinessWarnings(
  { agent, installed, account, limit, configuration }: SwitchTarget,
  now: Date,
): SwitchWarning[] {
  const { label } = agent;
  const found: SwitchWarning[] = [];
  if (!agent.write)
    found.push(warningOf("target_read_only", `Baton reads ${label} sessions and cannot write them.`));
  if (!installed) found.push(warningOf("target_missing", `${label} is not installed, or not in PATH.`));
  else if (!agent.proven.includes(installed.version))
    found.push(
      warningOf(
        "target_unproven",
        `Writing for ${label} ${installed.version} is not proven yet; it is for ${agent.proven.join(", ") || "none"}.`,
      ),
    );
  for (const path of configuration.damaged ?? [])
    found.push(
      warningOf(
        "target_settings_damaged",
        `${path} cannot be read: the model and the MCP servers that it sets for ${label} are not known.`,
      ),
    );
  if (account?.state === "signed_out")
    found.push(warningOf("target_signed_out", `${label} is not signed in: \`${account.login}\` signs in.`));
  if (limit) {
    const until = limit.until === undefined ? "" : ` Estimated wait: ${wait(limit.until, now)}.`;
    found.push(warningOf("target_limited", `${label} has reached a limit ("${limit.said}").${until}`));
  }
  return found;
}
