// How long a live run waits for what.

export const WAIT_MS = {
  /** Until somebody answers. */
  approval: 5 * 60_000,
  /** Until the agent says something in the middle of a turn. */
  silence: 5 * 60_000,
  /** An interrupt has its result by then, whatever the agent does. */
  interrupt: 400,
  /** An agent that has not stopped by then is ended. */
  stopping: 5000,
  /** An agent that has nothing more to do ends by itself, or is ended. */
  leaving: 3000,
  /** A turn that nobody asked for is over when nothing more is said for so long. */
  unprompted: 5000,
  /** So long an agent that takes no input may still say why. */
  deaf: 500,
};

/** While a tool is at work an agent may be silent so many times as long. */
export const BUSY_FACTOR = 10;

/** Timers take no more, and ring at once beyond it. */
export const LONGEST_MS = 2 ** 31 - 1;
