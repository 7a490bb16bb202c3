// The screen as a replay sees it: what happens comes one by one, keys and what is told from elsewhere alike.
import { onInterrupt } from "../interrupt.ts";
import type { Key } from "../keys.ts";
import { openScreen, type Size } from "../screen.ts";

export type Happening = Key | { type: "told"; what: string };

export interface Stage {
  size(): Size;
  /** Shows these lines from the top; each fits the width and holds nothing but text and colours. */
  draw(lines: readonly string[]): void;
  /** The next thing that happens; "resize" is told when everything is to be drawn anew. */
  next(): Promise<Happening>;
  tell(what: string): void;
}

export async function onStage<T>(work: (stage: Stage) => Promise<T>): Promise<T> {
  const waiting = newQueue();
  const tell = (what: string) => waiting.add({ type: "told", what });
  const screen = openScreen({
    onKey(key) {
      const name = key.type === "named" ? key.name : "";
      if (name === "interrupt") onInterrupt("SIGINT");
      else if (name === "suspend") screen.suspend();
      else if (name === "redraw") {
        screen.forget();
        tell("resize");
      } else waiting.add(key);
    },
    onResize: () => tell("resize"),
    onEnd: () => onInterrupt("SIGHUP"),
  });
  try {
    return await work({ size: screen.size, draw: (lines) => screen.draw(lines), next: waiting.next, tell });
  } finally {
    screen.close();
  }
}

/** What happens before anybody asks is kept. */
function newQueue(): { add(one: Happening): void; next(): Promise<Happening> } {
  const kept: Happening[] = [];
  let taker: ((one: Happening) => void) | undefined;
  return {
    add(one) {
      if (!taker) kept.push(one);
      else taker(one);
      taker = undefined;
    },
    next: () =>
      new Promise((resolve) => {
        const one = kept.shift();
        if (one === undefined) taker = resolve;
        else resolve(one);
      }),
  };
}
