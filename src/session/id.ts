// Session ids: short, and the same after every rebuild because they depend on nothing but the native id.
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export function sessionId(agent: string, originalId: string): string {
  // Loaded only when one is made: it is slow to load, and a list needs none.
  const { createHash } = process.getBuiltinModule("node:crypto");
  const digest = createHash("sha256").update(`${agent}:${originalId}`).digest();
  return Array.from(digest.subarray(0, 12), (byte) => ALPHABET[byte & 31]).join("");
}
