// A secret that its name gave away is found again where it stands alone: in the same text, and in all that follow.
import type { Found } from "./redact-patterns.ts";

export interface Echoes {
  /** Something was found that would not be without what stands around it. */
  note(kind: string, secret: string): void;
  in(text: string): Found[];
}

/** Kinds that have no form of their own. */
const KINDS: ReadonlySet<string> = new Set(
  "password secret token key authorization url-password command-password aws-secret-key".split(" "),
);
/** A shorter one, or one without a digit, may as well be a word that means nothing. */
const SHORTEST = 10;
/** So many are remembered. */
const MOST = 200;

export function newEchoes(): Echoes {
  const kinds = new Map<string, string>();
  let any: RegExp | undefined;
  return {
    note(kind, secret) {
      if (!KINDS.has(kind) || kinds.size >= MOST || kinds.has(secret)) return;
      if (secret.length < SHORTEST || !/\d/.test(secret) || !/[A-Za-z]/.test(secret)) return;
      kinds.set(secret, kind);
      const longest = [...kinds.keys()].toSorted((a, b) => b.length - a.length);
      any = new RegExp(longest.map(alone).join("|"), "g");
    },
    in(text) {
      if (!any) return [];
      return Array.from(text.matchAll(any), ({ 0: secret, index }) => ({
        kind: kinds.get(secret) ?? "secret",
        from: index,
        to: index + secret.length,
      }));
    },
  };
}

/** Not as a part of something longer. */
function alone(secret: string): string {
  const plain = secret.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return `${plain}(?<![A-Za-z0-9]${plain})(?![A-Za-z0-9])`;
}
