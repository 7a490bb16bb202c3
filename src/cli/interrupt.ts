// Ctrl-C, a closed terminal and a polite kill end Baton in order, so that nothing half written stays behind. While
// a child in the foreground has the terminal they are the child's.
import { constants } from "node:os";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

let children = 0;

export function onInterrupt(signal: NodeJS.Signals): void {
  if (children === 0) process.exit(128 + constants.signals[signal]);
}

export async function interruptible<T>(work: () => Promise<T>): Promise<T> {
  for (const signal of SIGNALS) process.on(signal, onInterrupt);
  try {
    return await work();
  } finally {
    for (const signal of SIGNALS) process.off(signal, onInterrupt);
  }
}

export async function whileChildHasTerminal<T>(work: () => Promise<T>): Promise<T> {
  children++;
  try {
    return await work();
  } finally {
    children--;
  }
}
