// Notices an agent that says nothing any more: one that hangs in the middle of a turn, and one that began something by
// itself of which it never says the end.
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
  /** It has said that it waits so long before it asks again, whatever else it says meanwhile. */
  announced(ms: number): void;
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
      timer = isOpenEnded ? setTimeout(onQuiet, WAIT_MS.unprompted) : setTimeout(() => onHung(most), most);
    },
    announced(ms) {
      retryAt = performance.now() + ms;
    },
    rest: () => clearTimeout(timer),
  };
}
