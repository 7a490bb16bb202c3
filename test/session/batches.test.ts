// Streams in batches: whoever reads single items sees the same as whoever reads batches.
import { expect, it } from "vitest";
import { batched, batchesOf, mapped } from "../../src/session/batches.ts";

async function* of(...batches: number[][]) {
  yield* batches;
}

async function* singles(...items: number[]) {
  yield* items;
}

it("comes item by item or in its batches", async () => {
  const stream = batched(() => of([1, 2], [], [3]));
  expect(await Array.fromAsync(stream)).toEqual([1, 2, 3]);
  expect(await Array.fromAsync(batchesOf(stream))).toEqual([[1, 2], [], [3]]);
});

it("takes any stream for one of single items", async () => {
  expect(await Array.fromAsync(batchesOf(singles(1, 2)))).toEqual([[1], [2]]);
});

it("is changed batch by batch, and stops where its reader stops", async () => {
  const seen: number[] = [];
  const stream = mapped(
    batched(() => of([1, 2], [3], [4])),
    (batch) => {
      seen.push(...batch);
      return batch.filter((item) => item !== 3).map((item) => item * 10);
    },
  );
  for await (const item of stream) if (item === 20) break;
  expect(seen).toEqual([1, 2]);
  expect(await Array.fromAsync(stream)).toEqual([10, 20, 40]);
});
