// Notices an agent that says nothing any more: one that hangs in the middle of a turn, and one that began something by
// itself of which it never says the end.
import type { DriverEvent } from "../adapters/driver.ts";
import { BUSY_FACTOR, LONGEST_MS, WAIT_MS } from "./waits.ts";

export interface WatchdogOptions {
  silenceMs: number | undefined;
  onHung(afterMs: number): void;
  /** Nothing more was said where nobody says an end. */
  onQuiet(): void;
}

export interface Watchdog {
  /** Starts to wait anew: the agent, or whoever it asks, gave a sign of life. */
  wait(what: { isOpenEnded: boolean; isBusy: boolean }): void;
  /** An agent that tries again later says when; what else it says meanwhile makes it no earlier, until it has an answer. */
  heard(event: DriverEvent): void;
  /** Nothing is to be waited for. */
  rest(): void;
}

export function newWatchdog({ silenceMs = WAIT_MS.silence, onHung, onQuiet }: WatchdogOptions): Watchdog {
  let timer: NodeJS.Timeout | undefined;
  let retryAt = 0;
  return {
    wait({ isOpenEnded, isBusy }) {
      clearTimeout(timer);
      const retryMs = Math.max(0, retryAt - performance.now());
      const most = Math.min(LONGEST_MS, retryMs + (isBusy ? silenceMs * BUSY_FACTOR : silenceMs));
      timer = isOpenEnded ? setTimeout(quiet, WAIT_MS.unprompted) : setTimeout(() => onHung(most), most);
    },
    heard(event) {
      if (event.type === "retry") retryAt = performance.now() + (event.delay_ms ?? 0);
      else if (showsAnswer(event)) retryAt = 0;
    },
    rest: () => clearTimeout(timer),
  };

  function quiet(): void {
    retryAt = 0;
    onQuiet();
  }
}

/** The model has answered the agent itself, or the turn is over; a subagent may be answered while another one waits. */
function showsAnswer(event: DriverEvent): boolean {
  switch (event.type) {
    case "result":
      return true;
    case "text":
    case "thinking":
    case "tool_use":
      return event.parent_tool_use_id === undefined;
    default:
      return false;
  }
}
