// What Ctrl-C does, as a signal or as a key.
import { afterEach, expect, it } from "vitest";
import { onSignals, type Signals } from "../../../src/cli/live/signals.ts";

let signals: Signals;
afterEach(() => signals.close());

function told(isTurn: boolean) {
  const list: string[] = [];
  signals = onSignals({
    interrupt() {
      list.push("interrupt");
      return isTurn;
    },
    end: () => list.push("end"),
    leave: (status) => list.push(`leave ${status}`),
  });
  return list;
}

it("stops the turn, and the second time the run", () => {
  const list = told(true);
  signals.interrupt();
  expect({ list, status: signals.status() }).toEqual({ list: ["interrupt"], status: undefined });
  signals.interrupt();
  expect({ list, status: signals.status() }).toEqual({
    list: ["interrupt", "end", "leave 130"],
    status: 130,
  });
});

it("is about the next turn once one is over", () => {
  const list = told(true);
  signals.interrupt();
  signals.turnOver();
  signals.interrupt();
  expect({ list, status: signals.status() }).toEqual({ list: ["interrupt", "interrupt"], status: undefined });
});

it("ends the run where there is no turn; who leaves by it only has its status", () => {
  const list = told(false);
  signals.interrupt();
  expect({ list, status: signals.status() }).toEqual({
    list: ["interrupt", "end", "leave 130"],
    status: 130,
  });
  signals.close();
  const others = told(false);
  signals.left();
  expect({ others, status: signals.status() }).toEqual({ others: [], status: 130 });
});

it("what is waited for is let go by the end of the run, and only by that", async () => {
  told(false);
  await signals.unlessStopped(Promise.resolve());
  await expect(signals.unlessStopped(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  const never = new Promise<void>(() => undefined);
  const waiting = signals.unlessStopped(never);
  const first = await Promise.race([waiting.then(() => "let go"), Promise.resolve("waits")]);
  expect(first).toBe("waits");
  signals.interrupt();
  await waiting;
  await signals.unlessStopped(never);
});
