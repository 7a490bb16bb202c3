// The shape of a session file, and guards for it. Files are untrusted: every field is checked where it is used.

export { count, filled, isObject, type Json, objects, text } from "../json.ts";

/** The folders of the store, each named after the provider whose sessions it holds, and the vendor of its models. */
export const PROVIDERS: Readonly<Record<string, string>> = { gemini: "google", openai: "openai" };

/** A record is either everything but the history, or one message of it. */
export const HEADER = 0;
