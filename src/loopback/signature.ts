// Proofs of origin for thinking. A token certifies itself with a MAC over model and content, so a server that
// was restarted with the same secret still knows what it issued, without keeping anything.
import { createHmac, timingSafeEqual } from "node:crypto";

export interface Signer {
  /** A base64 token that says: this model produced this content. */
  sign(model: string, content: string): string;
  /** Whether the token came from here, for this model and content. */
  accepts(token: string, model: string, content: string): boolean;
  /** A token that carries its content inside. */
  seal(model: string, content: string): string;
  /** The content of a sealed token, unless it is foreign or another model's. */
  unseal(token: string, model: string): string | undefined;
}

export function createSigner(secret: string): Signer {
  const mac = (model: string, content: string) =>
    createHmac("sha256", secret)
      .update(JSON.stringify([model, content]))
      .digest();
  const matches = (given: Buffer, model: string, content: string) =>
    given.length === 32 && timingSafeEqual(given, mac(model, content));
  return {
    sign: (model, content) => mac(model, content).toString("base64"),
    accepts: (token, model, content) => matches(Buffer.from(token, "base64"), model, content),
    seal: (model, content) => Buffer.concat([mac(model, content), Buffer.from(content)]).toString("base64"),
    unseal(token, model) {
      const bytes = Buffer.from(token, "base64");
      const content = bytes.subarray(32).toString("utf8");
      return matches(bytes.subarray(0, 32), model, content) ? content : undefined;
    },
  };
}
