// Checks what comes in from outside against the universal session's schema. The value itself is kept, because
// a parsed copy would have its fields in another order.
import type { z } from "zod";
import { BatonError } from "../session/error.ts";

export type Json = Record<string, unknown>;

export function isObject(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Throws an error that names the place inside the document. */
export function check<T>(
  schema: z.ZodType<T>,
  value: unknown,
  where: string,
  hint?: string,
): asserts value is T {
  const result = schema.safeParse(value);
  if (result.success) return;
  const issue = result.error.issues[0];
  const place = (issue?.path ?? []).reduce<string>(
    (path, key) =>
      typeof key === "number" ? `${path}[${key}]` : path === "" ? String(key) : `${path}.${String(key)}`,
    "",
  );
  throw damaged(
    `${where}: ${place === "" ? "" : `${place}: `}${issue?.message ?? "not valid"}`,
    undefined,
    hint,
  );
}

const HINT = "`baton schema` prints what a universal session looks like.";

export function damaged(message: string, cause?: unknown, hint = HINT): BatonError {
  return new BatonError("damaged", message, hint, cause);
}
