// The shape of a line, and guards for it. Lines are untrusted: every field is checked where it is used.
import { isObject, type Json } from "../json.ts";

export { count, filled, isObject, type Json, text } from "../json.ts";

const ROLES = ["user", "assistant", "system"] as const;

export type Role = (typeof ROLES)[number];

export function roleOf({ role }: Json): Role | undefined {
  return ROLES.find((one) => one === role);
}

/** What only these lines look like: no other agent has both a role and a time in seconds. */
export function isLine(value: unknown): value is Json {
  if (!isObject(value) || roleOf(value) === undefined || typeof value.ts !== "number") return false;
  return typeof value.content === "string" && !("type" in value) && !("message" in value);
}
