// Ctrl-C stops the turn, a second one the run; a polite kill or a closed terminal ends it at once.
import { constants } from "node:os";

export interface Signals {
  /** The status that a signal which ended the run asks for. */
  status(): number | undefined;
  /** Ctrl-C where the terminal hands it over as a key. */
  interrupt(): void;
  /** The person leaves by Ctrl-C, in order. */
  left(): void;
  /** Waits for the work, one at a time, unless a signal ends the run. */
  unlessStopped(work: Promise<void>): Promise<void>;
  /** The next Ctrl-C is about the next turn. */
  turnOver(): void;
  close(): void;
}

export interface OnSignals {
  /** False = there is no turn that could be stopped. */
  interrupt(): boolean;
  end(): void;
  /** Everything is ended; what nobody takes must not keep the process. */
  leave(status: number): void;
}

export function onSignals({ interrupt, end, leave }: OnSignals): Signals {
  let status: number | undefined;
  let isStopped = false;
  let letGo: (() => void) | undefined;
  const stop = (signal: NodeJS.Signals) => {
    status = 128 + constants.signals[signal];
    end();
    leave(status);
    isStopped = true;
    letGo?.();
  };
  let isInterrupted = false;
  const onInterrupt = () => {
    if (isInterrupted || !interrupt()) stop("SIGINT");
    isInterrupted = true;
  };
  process.on("SIGINT", onInterrupt);
  process.on("SIGTERM", stop);
  process.on("SIGHUP", stop);
  return {
    status: () => status,
    // A race with one promise for all the run would keep what came of every event.
    unlessStopped: (work) =>
      new Promise((resolve, reject) => {
        if (isStopped) resolve();
        letGo = resolve;
        work.then(resolve, reject);
      }),
    interrupt: onInterrupt,
    left() {
      status = 128 + constants.signals.SIGINT;
    },
    turnOver() {
      isInterrupted = false;
    },
    close() {
      process.off("SIGINT", onInterrupt);
      process.off("SIGTERM", stop);
      process.off("SIGHUP", stop);
    },
  };
}
