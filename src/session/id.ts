// Session ids: short, and the same after every rebuild because they depend on nothing but the native id.
const LENGTH = 12;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";

export function sessionId(agent: string, originalId: string): string {
  // Loaded only when one is made: it is slow to load, and a list needs none.
  const { hash } = process.getBuiltinModule("node:crypto");
  const digest = hash("sha256", `${agent}:${originalId}`, "binary");
  let id = "";
  for (let at = 0; at < LENGTH; at++) id += ALPHABET[digest.charCodeAt(at) & 31];
  return id;
}
