// The one error class: a closed set of codes, each with its exit status.

export const EXIT_STATUS = {
  failed: 1,
  usage: 2,
  not_found: 3,
  agent_not_installed: 3,
  ambiguous: 4,
  refused: 5,
  verification_failed: 6,
  unsupported: 1,
  not_writable: 1,
  busy: 5,
  damaged: 1,
  interrupted: 130,
} as const;

export type ErrorCode = keyof typeof EXIT_STATUS;

export class BatonError extends Error {
  readonly code: ErrorCode;
  /** What to do next, in a sentence. */
  readonly hint: string;

  constructor(code: ErrorCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "BatonError";
    this.code = code;
    this.hint = hint;
  }
}
