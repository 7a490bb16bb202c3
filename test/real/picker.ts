// The list that a CLI shows of its sessions: by a command where it has one, else as its picker draws it in a
// terminal.
import { layDown } from "../../src/verify/run.ts";
import type { Rig } from "./harness.ts";
import { adapterOf } from "./read.ts";
import { drawnText } from "./terminal.ts";

/** `oldest`: what the picker draws last. */
export async function listing(rig: Rig, oldest: string): Promise<string> {
  const list = adapterOf(rig.name).sandbox?.(rig.home, rig.loopback.port).list?.();
  if (!list) return picker(rig, oldest);
  const { argv, ...rest } = list;
  return (await rig.run(argv.slice(1), [], rest)).stdout;
}

async function picker(rig: Rig, oldest: string): Promise<string> {
  await layDown(rig.home, { ".claude.json": JSON.stringify(introduced(rig)) });
  const command = `stty rows 40 cols 120; TERM=xterm-256color exec ${rig.cli.path} --resume`;
  const { stdout } = await rig.exec(["script", "-qfec", command, "/dev/null"], [], {
    isComplete: () => false,
    signal: { name: "SIGKILL", output: oldest },
  });
  return drawnText(stdout);
}

/** As a user who has been through the first start and trusts the project. */
function introduced(rig: Rig): unknown {
  const key = rig.driver.env(rig.home, "").ANTHROPIC_API_KEY ?? "";
  return {
    hasCompletedOnboarding: true,
    theme: "dark",
    projects: { [rig.cwd]: { hasTrustDialogAccepted: true } },
    customApiKeyResponses: { approved: [key.slice(-20)], rejected: [] },
  };
}
