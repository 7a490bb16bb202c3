// Rows are put in several at a time: to begin a statement takes longer than one more small row.
import type { SQLInputValue, StatementSync } from "node:sqlite";

export interface Groups {
  /** A row for each item. */
  run<Item>(items: readonly Item[], valuesOf: (item: Item) => readonly SQLInputValue[]): void;
}

const TOGETHER = 16;

/** `into`: the beginning of the statement; `then`: what stands behind the values. */
export function inGroups(
  prepare: (sql: string) => StatementSync,
  into: string,
  columns: readonly string[],
  then = "",
): Groups {
  const row = `(${columns.map(() => "?").join()})`;
  const insert = (rows: number) =>
    prepare(`${into} (${columns.join()}) VALUES ${Array.from({ length: rows }, () => row).join()} ${then}`);
  const [one, many] = [insert(1), insert(TOGETHER)];
  return {
    run(items, valuesOf) {
      let at = 0;
      while (items.length - at >= TOGETHER) {
        const values: SQLInputValue[] = [];
        for (const end = at + TOGETHER; at < end; at++)
          for (const value of valuesOf(items[at] as (typeof items)[number])) values.push(value);
        many.run(...values);
      }
      for (; at < items.length; at++) one.run(...valuesOf(items[at] as (typeof items)[number]));
    },
  };
}
