// Carries out what a key asked for: while it takes, the picker says so; what goes wrong is told, and the list comes back.
import { once } from "node:events";
import { BatonError } from "../../session/error.ts";
import type { GoOn } from "../continue.ts";
import { inHome } from "../in-home.ts";
import { copyInTmux, copySequence } from "./clipboard.ts";
import type { Row } from "./filter.ts";
import { inShell, nameOf } from "./naming.ts";
import type { Picker } from "./picker.ts";
import { type Effect, TOO_EARLY } from "./reduce.ts";
import { type Panel, type Plan, withPanel } from "./state.ts";

export async function perform(picker: Picker, effect: Effect): Promise<void> {
  switch (effect.type) {
    case "quit":
      return picker.end(effect.status);
    case "suspend":
      return picker.screen.suspend();
    case "redraw":
      picker.screen.forget();
      return picker.show(picker.state);
    case "resume":
      return resume(picker, effect.row);
    case "view":
      return viewed(picker, effect.row);
    case "copy":
      return copy(picker, effect.row);
    case "targets":
      return targets(picker, effect.row);
    case "entries":
      return entries(picker, effect.row);
    case "report":
      return report(picker, effect.plan);
    case "write":
      return write(picker, effect.plan, effect.start);
  }
}

/** Loaded when something is to be done, after the screen says so. */
const actions = () => import("./actions.ts");

/** Undefined when it failed, which is then told, or when it was not waited for. */
async function during<T>(
  picker: Picker,
  title: string,
  work: () => Promise<T>,
  { isHeld = false, elsewhere = "" } = {},
): Promise<T | undefined> {
  const busy: Panel = { type: "busy", title, isHeld };
  picker.show(withPanel(picker.state, busy));
  const isWaiting = () => picker.state.panel === busy;
  try {
    const result = await work();
    return isWaiting() ? result : undefined;
  } catch (error) {
    if (isWaiting()) picker.show(withPanel(picker.state, failure(picker, error, elsewhere)));
    return undefined;
  }
}

/** `elsewhere`: the command for a shell, where a hint about options can be followed. */
function failure({ context }: Picker, error: unknown, elsewhere = ""): Panel {
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof BatonError ? error.hint : "";
  // A hint may begin with the option to use, or name a command itself.
  const option = /^--\S+(?: [A-Z]+\b)?/.exec(hint)?.[0];
  const line = elsewhere === "" || hint.includes("`baton ") ? "" : `In a shell: ${elsewhere}`;
  const lines = [message, hint, option === undefined || line === "" ? line : `${line} ${option}`];
  return {
    type: "text",
    title: "That did not work",
    lines: lines
      .filter((text) => text !== "")
      .flatMap((text) => [inHome(context.environment.HOME, text), ""]),
    top: 0,
  };
}

const back = (picker: Picker, message: string) =>
  picker.show(withPanel({ ...picker.state, message }, undefined));

async function resume(picker: Picker, row: Row): Promise<void> {
  const name = nameOf(row, picker.state.rows);
  const result = await during(
    picker,
    `Opening “${row.session.title}” …`,
    async () => (await actions()).ownResume(picker.context, name),
    { elsewhere: inShell(picker.context, name) },
  );
  if (result?.isDryRun) await showReport(picker, { kind: "continue", row }, result);
  else if (result) picker.end(result);
}

async function copy(picker: Picker, row: Row): Promise<void> {
  const name = nameOf(row, picker.state.rows);
  const copied = await during(picker, "Copying …", async () =>
    (await actions()).resumeLine(picker.context, name),
  );
  if (copied === undefined) return;
  const { line, warnings } = copied;
  picker.screen.write(copySequence(line));
  if (process.env.TMUX) await copyInTmux(line);
  picker.copied = line;
  if (warnings.length === 0) return back(picker, `Copied: ${line}`);
  const shell = inShell(picker.context, name);
  const lines = warnings.flatMap((warning) => [
    "",
    inHome(picker.context.environment.HOME, warning),
    ...(warning.includes(" --cwd DIR goes") ? [`In a shell: ${shell} --cwd DIR`] : []),
  ]);
  const panel: Panel = { type: "text", title: "Copied", lines: [`Copied: ${line}`, ...lines], top: 0 };
  picker.show(withPanel(picker.state, panel));
}

async function viewed(picker: Picker, row: Row): Promise<void> {
  const { context, screen } = picker;
  const { columns } = screen.size();
  const own = await during(picker, "Opening …", actions, { isHeld: true });
  if (!own) return;
  const { view } = own;
  // The screen is the pager's now, and the list is what comes after it.
  const message = picker.state.ahead.length > 0 ? TOO_EARLY : "";
  try {
    picker.show(withPanel({ ...picker.state, ahead: [], message }, undefined));
    await screen.lend(async () => {
      if (!(await view(context, row.session, columns))) await enter();
    });
    picker.show(picker.state);
  } catch (error) {
    picker.show(withPanel(picker.state, failure(picker, error)));
  }
}

/** A pager that does not wait would leave nothing to be seen. */
async function enter(): Promise<void> {
  process.stderr.write("\nEnter goes back to the list. ");
  process.stdin.resume();
  await once(process.stdin, "data");
  process.stdin.pause();
}

async function targets(picker: Picker, row: Row): Promise<void> {
  const items = await during(picker, "Looking for agents …", async () =>
    (await actions()).targetsFor(picker.context, row),
  );
  if (!items) return;
  const title = `Continue “${row.session.title}” in:`;
  picker.show(withPanel(picker.state, { type: "choice", title, items, selected: 0, top: 0, row }));
  const { tellVersions } = await actions();
  await tellVersions(picker.context, items, (item, answer) => {
    const { panel } = picker.state;
    if (panel?.type !== "choice" || panel.row !== row) return;
    const known = panel.items.map((one) => (one.step === item.step ? { ...one, ...answer } : one));
    picker.show(withPanel(picker.state, { ...panel, items: known }));
  });
}

async function entries(picker: Picker, row: Row): Promise<void> {
  const items = await during(picker, "Reading the session …", async () =>
    (await actions()).entriesOf(picker.context, row),
  );
  if (!items) return;
  if (items.length === 0) return back(picker, "Nothing was said in this session.");
  const title = `Fork “${row.session.title}” after:`;
  picker.show(withPanel(picker.state, { type: "choice", title, items, selected: 0, top: 0, row }));
}

async function report(picker: Picker, plan: Plan): Promise<void> {
  const name = nameOf(plan.row, picker.state.rows);
  const result = await during(
    picker,
    "Looking at what would be lost …",
    async () => (await actions()).carriedOut(picker.context, name, plan, { dryRun: true, exec: false }),
    { elsewhere: inShell(picker.context, name, plan) },
  );
  if (result) await showReport(picker, plan, result);
}

async function showReport(picker: Picker, plan: Plan, result: GoOn): Promise<void> {
  const { lines, isLossy } = (await actions()).reportOf(result);
  const where = plan.agent ? `Continue in ${plan.agent.label}` : "Continue in a new session";
  const what = plan.kind === "fork" ? "Fork" : where;
  picker.show(
    withPanel(picker.state, {
      type: "report",
      title: `${what}: “${plan.row.session.title}”`,
      lines: lines.map((line) => inHome(picker.context.environment.HOME, line)),
      top: 0,
      plan: { ...plan, isLossy },
    }),
  );
}

async function write(picker: Picker, plan: Plan, start: boolean): Promise<void> {
  const name = nameOf(plan.row, picker.state.rows);
  const result = await during(
    picker,
    "Writing …",
    async () => (await actions()).carriedOut(picker.context, name, plan, { dryRun: false, exec: start }),
    { isHeld: true, elsewhere: inShell(picker.context, name, plan) },
  );
  if (!result) return;
  if (start) return picker.end(result);
  const lines = [
    inHome(picker.context.environment.HOME, result.done),
    "",
    (await actions()).commandLine(picker.context, result),
  ];
  picker.show(withPanel(picker.state, { type: "text", title: "Written", lines, top: 0 }));
  picker.load();
}
