// The person at the terminal: types the next prompt, and answers what the agent asks, one question after the other.
import type { LiveRun } from "../../run/live.ts";
import type { AgentEvent } from "../../session/events.ts";
import type { Output } from "../output.ts";
import { askPerson, lineOf, type Person } from "./asking.ts";
import type { Outlet } from "./outlet.ts";

export interface Conversation {
  hear(event: AgentEvent): void;
  /** Asks for the next prompt; none ends the run. */
  next(prompt: (text: string) => void): void;
  close(): void;
}

export interface ConversationOptions {
  run: LiveRun;
  output: Pick<Output, "colors" | "note">;
  outlet: Outlet;
  label: string;
  /** False = there is no turn that could be stopped. */
  interrupt(): boolean;
}

export function newConversation({
  run,
  output,
  outlet,
  label,
  interrupt,
}: ConversationOptions): Conversation {
  const over = new AbortController();
  const open = new Map<string, AbortController>();
  const person: Person = {
    note: output.note,
    colors: output.colors,
    width: outlet.face.width,
    onInterrupt: () => {
      if (!interrupt()) run.finish();
    },
  };
  let asking: Promise<unknown> = Promise.resolve();
  const afterwards = (work: () => Promise<void>) => {
    asking = asking.then(async () => {
      await outlet.page?.rest();
      await work();
    });
  };
  const ask = (event: Extract<AgentEvent, { type: "approval_request" }>) => {
    const withdrawn = new AbortController();
    open.set(event.id, withdrawn);
    afterwards(async () => {
      if (withdrawn.signal.aborted) return;
      const decision = await askPerson(event, label, person, withdrawn.signal);
      open.delete(event.id);
      if (decision) run.decide(event.id, decision);
      outlet.page?.working("waiting for the agent");
    });
  };
  return {
    hear(event) {
      if (event.type === "approval_request") ask(event);
      if (event.type === "approval") open.get(event.id)?.abort();
    },
    next: (prompt) =>
      afterwards(async () => {
        const text = await nextPrompt(person, over.signal);
        if (text === undefined) run.finish();
        else {
          prompt(text);
          outlet.page?.working("waiting for the model");
        }
      }),
    close() {
      over.abort();
      for (const one of open.values()) one.abort();
    },
  };
}

async function nextPrompt(person: Person, signal: AbortSignal): Promise<string | undefined> {
  for (;;) {
    const text = await lineOf("> ", person, signal);
    if (text === undefined || text.trim() !== "") return text;
  }
}
