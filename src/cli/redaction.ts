// Whether keys, tokens and passwords are hidden in what is printed (--redact). Everything that prints content asks
// here: texts for a terminal (text.ts), JSON and errors (output.ts), sessions that are opened (session.ts) and sessions
// that are carried (continue.ts), so that a command need not think of it.
import type { Redactor } from "../transform/redact.ts";

let redactor: Redactor | undefined;

/** For this run of the program. Nothing of it is loaded unless it is asked for. */
export async function hideSecrets(isAsked: boolean): Promise<void> {
  redactor = isAsked ? await (await import("../transform/redact.ts")).loadRedactor() : undefined;
}

/** Who hides them; undefined when nothing is to be hidden. */
export function redaction(): Redactor | undefined {
  return redactor;
}

/** Every text in it without secrets, or the value as it is. */
export function shareable<T>(value: T): T {
  return redactor ? redactor.value(value) : value;
}
