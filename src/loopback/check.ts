// Helpers that the four checkers share: each rule is one short statement there.
import type { Rule, Violation } from "./wire.ts";

/** What a checker yields, in the order in which the vendor would notice it. */
export type Found = Generator<Violation, void>;

export function violation(
  rule: Rule,
  at: string,
  message: string,
  extra: Pick<Violation, "code" | "status"> = {},
): Violation {
  return { rule, at, message, ...extra };
}

/** The values that stand in a list more than once, each once. */
export function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const value of values) (seen.has(value) ? twice : seen).add(value);
  return [...twice];
}

const MAGIC: ReadonlyArray<[string, (bytes: Buffer) => boolean]> = [
  ["image/png", (bytes) => bytes.subarray(0, 8).toString("latin1") === "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).toString("latin1") === "\xff\xd8\xff"],
  ["image/gif", (bytes) => bytes.subarray(0, 4).toString("latin1") === "GIF8"],
  ["image/webp", (bytes) => bytes.subarray(8, 12).toString("latin1") === "WEBP"],
  ["application/pdf", (bytes) => bytes.subarray(0, 5).toString("latin1") === "%PDF-"],
];

/** What base64 bytes are by their first characters; undefined = nothing a model takes. */
export function sniff(data: unknown): string | undefined {
  if (typeof data !== "string") return undefined;
  const head = Buffer.from(data.slice(0, 64), "base64");
  return MAGIC.find(([, matches]) => matches(head))?.[0];
}

/** Standard base64, looked at without decoding: pictures are big. */
export function isBase64(data: unknown): data is string {
  return typeof data === "string" && data.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(data);
}

/** The media type and data of a `data:` URL. */
export function dataUrl(url: unknown): { mimeType: string; data: string } | undefined {
  if (typeof url !== "string" || !url.startsWith("data:")) return undefined;
  const comma = url.indexOf(",");
  const head = url.slice(5, comma);
  if (comma === -1 || !head.endsWith(";base64")) return undefined;
  return { mimeType: head.slice(0, -";base64".length), data: url.slice(comma + 1) };
}
