// Everything that is known of one model, or assumed of it: an answer for any id, in any spelling.
import { ASSUMED, type Family } from "./defaults.ts";
import { detectProvider, makerOf } from "./detect.ts";
import { type Abilities, M } from "./model.ts";
import { displayName, isLong, modelOf, plainId } from "./names.ts";
import type { Overrides } from "./overrides.ts";

export interface ModelFacts extends Abilities {
  id: string;
  name: string;
  /** Who made it, or undefined. */
  vendor: string | undefined;
  /** Whose badge it carries: `claude`, `gemini`, `openai`, the vendor's name, `unknown`. */
  provider: string;
  /** Whether a table or the user has it. What is not said of it, and all of what is not known, is assumed. */
  known: boolean;
}

/** The user's own facts win, then those of the table; `[1m]` is a window of a million for Claude's models. */
export function factsOf(id: string, overrides?: Overrides): ModelFacts {
  const model = modelOf(id);
  const own = overrides?.of(id);
  const vendor = makerOf(id);
  const base = model ?? ASSUMED[familyOf(id)];
  const isMillion = vendor === "anthropic" && isLong(id);
  return {
    id,
    name: own?.name ?? displayName(id),
    vendor,
    provider: detectProvider(id),
    window: own?.window ?? (isMillion ? Math.max(M, base.window) : base.window),
    output: own?.output ?? base.output,
    input: own?.input ?? base.input,
    tools: own?.tools ?? base.tools,
    thinking: own?.thinking ?? base.thinking,
    caching: own?.caching ?? base.caching,
    known: model !== undefined || saysWhatItCan(own),
  };
}

/** A name or a price alone says nothing of what it takes or does. */
function saysWhatItCan(own: Partial<Abilities> = {}): boolean {
  const { window, output, input, tools, thinking, caching } = own;
  return [window, output, input, tools, thinking, caching].some((fact) => fact !== undefined);
}

/** Which of the assumptions holds; a vendor's open models are not like those that it serves. */
export function familyOf(id: string): Family {
  const name = plainId(id);
  if (/^claude\b/.test(name)) return "claude";
  if (/^gemini\b/.test(name)) return "gemini";
  if (/^(?:gpt|chatgpt|codex|o\d)(?:\b|-)/.test(name) && !name.startsWith("gpt-oss")) return "openai";
  return "other";
}
