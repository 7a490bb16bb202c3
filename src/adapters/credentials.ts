// Whether credentials are there, in files, variables or a keychain. Only their names are looked at: no value is kept,
// handed on or printed.
import { readFileSync } from "node:fs";
import type { Home } from "./adapter.ts";
import { filled, isObject, type Json } from "./json.ts";

/** What a file holds, or why it says nothing. */
export function credentialsIn(path: string): Json | "missing" | "damaged" | "unreadable" {
  let source: string;
  try {
    source = readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable";
  }
  try {
    const value: unknown = JSON.parse(source);
    return isObject(value) ? value : "damaged";
  } catch {
    return "damaged";
  }
}

/** Whether one of the fields holds something. */
export function hasAny(values: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.some((name) => filled(values[name]) !== undefined);
}

/** Whether one of the variables is set to something that means yes. */
export function isOn(values: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  return names.some((name) => /^(?:1|true|yes|on)$/i.test(filled(values[name]) ?? ""));
}

/** Linux has one where a desktop runs; a home that was named is looked at without its user's session. */
export function mayHaveKeychain({ env }: Home): boolean {
  return process.platform !== "linux" || filled(env.DBUS_SESSION_BUS_ADDRESS) !== undefined;
}
