// What follows an interrupt: the turn is over within half a second, whether the agent has stopped or not, and one that
// does not stop is ended.
import { WAIT_MS } from "./waits.ts";

export interface StoppingOptions {
  /** It takes its time: the turn has its result without it. */
  onLate(): void;
  onNever(): void;
}

export interface Stopping {
  /** It was told to stop, and has not yet. */
  readonly isAsked: boolean;
  ask(): void;
  /** While nothing is read from it, it cannot say that it has stopped. */
  hold(isHeld: boolean): void;
  over(): void;
}

export function newStopping({ onLate, onNever }: StoppingOptions): Stopping {
  let state: "none" | "asked" | "late" | "never" = "none";
  let isHeld = false;
  let timer: NodeJS.Timeout | undefined;
  const late = () => {
    state = "late";
    onLate();
    wait();
  };
  const wait = () => {
    clearTimeout(timer);
    if (isHeld || state !== "late") return;
    timer = setTimeout(never, WAIT_MS.stopping);
    timer.unref();
  };
  const never = () => {
    state = "never";
    onNever();
  };
  return {
    get isAsked() {
      return state !== "none";
    },
    ask() {
      state = "asked";
      timer = setTimeout(late, WAIT_MS.interrupt);
    },
    hold(isHeldNow) {
      isHeld = isHeldNow;
      wait();
    },
    over() {
      clearTimeout(timer);
      state = "none";
    },
  };
}
