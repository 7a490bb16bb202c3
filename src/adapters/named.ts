// Finds an agent of the table by its name.
import { BatonError } from "../session/error.ts";
import type { Place } from "./adapter.ts";

export function adapterNamed<Of extends Place>(name: string, adapters: readonly Of[]): Of {
  const adapter = adapters.find(({ id }) => id === name);
  if (adapter) return adapter;
  throw new BatonError(
    "usage",
    `There is no agent called "${name}".`,
    `Known agents: ${adapters.map(({ id }) => id).join(", ")}.`,
  );
}
