// Narrowing for request bodies: they come from any client, so nothing about their shape is taken for granted.

export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function objects(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function object(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

export function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The value of a JSON text, or the text itself where it is none. */
export function parsed(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
