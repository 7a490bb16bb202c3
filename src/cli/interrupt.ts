// Ctrl-C ends Baton, except while a child in the foreground has the terminal: then it is the child's.
import { EXIT_STATUS } from "../session/error.ts";

let children = 0;

export function onInterrupt(): void {
  if (children === 0) process.exit(EXIT_STATUS.interrupted);
}

export async function whileChildHasTerminal<T>(work: () => Promise<T>): Promise<T> {
  children++;
  try {
    return await work();
  } finally {
    children--;
  }
}
