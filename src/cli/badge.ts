// The coloured name that tells at a glance whose session it is.
import type { Place } from "../adapters/adapter.ts";
import type { Colors } from "./output.ts";
import { harmless } from "./text.ts";

const COLORS = ["magenta", "green", "blue", "yellow", "cyan", "red"] as const;

/** Each agent of the table has a colour of its own; a stranger is grey. */
export function badge(agent: string, adapters: readonly Place[], colors: Colors): string {
  const at = adapters.findIndex(({ id }) => id === agent);
  const color = COLORS[at % COLORS.length];
  return color === undefined ? colors.gray(harmless(agent)) : colors[color](agent);
}
