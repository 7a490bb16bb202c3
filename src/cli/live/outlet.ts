// Where the events of a run go: shown to a person, printed line by line for a program, or kept for the one document of
// --json.
import type { Runnable } from "../../run/agents.ts";
import { fittingEvent } from "../../run/fit.ts";
import { LONGEST_LINE } from "../../session/event-rules.ts";
import type { AgentEvent, EventOf } from "../../session/events.ts";
import { sessionId } from "../../session/id.ts";
import type { Options } from "../commands/run.ts";
import type { Context } from "../context.ts";
import { shareable } from "../redaction.ts";
import { type Face, newPage, type Page } from "./page.ts";
import { Renderer } from "./render.ts";

export interface Outlet {
  show(event: AgentEvent): Promise<void>;
  ring(): void;
  /** The run is over. */
  end(last: EventOf<"result"> | undefined): Promise<void>;
  /** What a person sees; none for programs. */
  page?: Page;
  face: Face;
}

export function newOutlet(
  { output }: Context,
  { adapter }: Pick<Runnable, "adapter">,
  { outputFormat }: Pick<Options, "outputFormat">,
): Outlet {
  const { stderr, stdout } = process;
  const face: Face = {
    say: (text) => output.write(text),
    note: (text) => output.note(text),
    colors: output.noteColors,
    width: () => stderr.columns || output.width,
    isTerminal: stdout.isTTY === true && stderr.isTTY === true && process.env.TERM !== "dumb",
    isQuiet: output.isQuiet,
  };
  const ring = () => output.note("\u0007");
  const none = async () => undefined;
  if (outputFormat === "stream-json")
    return { show: (event) => output.document(lineOf(event)), ring, end: none, face };
  if (output.isJson) return { show: none, ring, end: (last) => output.json(last ?? {}), face };
  const nameOf = (session: string) => (adapter && session !== "" ? sessionId(adapter.id, session) : session);
  const page = newPage(face);
  const renderer = new Renderer(page, { ...face, isVerbose: output.isVerbose, nameOf });
  return { show: (event) => renderer.show(event), ring, end: () => page.rest(), page, face };
}

/** What hides a secret may be longer than the secret was; an event that it makes too long is cut once more, and says so. */
function lineOf(event: AgentEvent): string {
  const hidden = shareable(event);
  const line = JSON.stringify(hidden);
  return `${Buffer.byteLength(line) < LONGEST_LINE ? line : JSON.stringify(cutEvent(hidden))}\n`;
}

function cutEvent(event: AgentEvent): AgentEvent {
  const cut = fittingEvent(event);
  const isCut =
    (cut.type === "raw" && event.type === "raw" && cut.text !== event.text) ||
    (cut.type === "result" && event.type === "result" && cut.result !== event.result);
  return isCut ? { ...cut, truncated: true } : cut;
}
