// Lines of the input that mean nothing are told one by one as long as somebody reads that, and counted beyond: whoever
// writes any number of them and reads nothing fills no memory, and still has its interrupts and answers heard.
import type { AgentEvent } from "../../session/events.ts";

export interface Mistakes {
  tell(sentence: string): void;
  /** An event has been shown: there may be room again. */
  shown(event: AgentEvent): void;
  /** No more of them come: how many were only counted. */
  end(): void;
}

/** Told, and not shown yet. */
const MOST = 100;

export function newMistakes(warn: (sentence: string) => void): Mistakes {
  let waiting = 0;
  let counted = 0;
  const say = (sentence: string) => {
    waiting++;
    warn(sentence);
  };
  const end = () => {
    if (counted > 0) say(`So many more lines of the input made no sense: ${counted}.`);
    counted = 0;
  };
  return {
    tell(sentence) {
      if (waiting < MOST) say(sentence);
      else counted++;
    },
    shown(event) {
      if (event.type !== "system" || event.subtype !== "error" || event.code !== "bad_input") return;
      waiting--;
      if (waiting === 0) end();
    },
    end,
  };
}
