// Where the archive lies.
import { join } from "node:path";

export function archiveFolder(batonHome: string): string {
  return join(batonHome, "archive");
}
