// Events between who makes them and who takes them: when it is full, when there is room, and that what was taken goes.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { newQueue } from "../../src/run/queue.ts";

function newTold(most: number) {
  const told: string[] = [];
  const queue = newQueue<object>({ onFull: () => told.push("full"), onRoom: () => told.push("room") }, most);
  return { told, queue, reader: queue[Symbol.asyncIterator]() };
}

const items = (count: number) => Array.from({ length: count }, (_, at) => ({ at }));

it("says once that it is full, and once that there is room when all was taken", async () => {
  const { told, queue, reader } = newTold(10);
  queue.push(items(10));
  expect(told).toEqual([]);
  queue.push(items(1));
  queue.push(items(5));
  expect(told).toEqual(["full"]);
  for (let at = 0; at < 16; at++) await reader.next();
  expect(told).toEqual(["full"]);
  const last = reader.next();
  expect(told).toEqual(["full", "room"]);
  queue.close();
  expect(await last).toMatchObject({ done: true });
});

it("gives what is there after it was closed, and takes no more", async () => {
  const { queue, reader } = newTold(10);
  queue.push(items(2));
  queue.close();
  queue.push(items(1));
  expect([await reader.next(), await reader.next(), await reader.next()]).toMatchObject([
    { value: { at: 0 } },
    { value: { at: 1 } },
    { done: true },
  ]);
});

it("lets go of what was taken, also where there is always more", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const { queue, reader } = newTold(10);
  queue.push(items(1));
  const first = await weakly(reader);
  for (let round = 0; round < 40; round++) {
    queue.push(items(2));
    await reader.next();
  }
  // A weak reference holds what it was asked for until the end of a turn of the event loop.
  await new Promise(setImmediate);
  collect();
  expect(first.deref() === undefined).toBe(true);
});

/** A function of its own, so that no frame holds it. */
async function weakly(reader: AsyncIterator<object>): Promise<WeakRef<object>> {
  const { value } = await reader.next();
  return new WeakRef(value);
}
