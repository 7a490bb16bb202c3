// The first bytes of a file as text, which is enough to tell what it is.
import { open } from "node:fs/promises";

export async function beginningOf(path: string, length: number): Promise<string> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString("utf8", 0, bytesRead).replace(/^\uFEFF/, "");
  } finally {
    await file.close();
  }
}
