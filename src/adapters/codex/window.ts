// How much of a model's window Codex uses: it has a list of its own, and compacts before that, whatever the model could
// take. From the list that 0.166.0 brings along.
import { plainId } from "../../models/names.ts";

const USUAL = 272_000;
const OTHERS: Readonly<Record<string, number>> = { "gpt-6.1-terra": 500_000 };

export function windowOf(model: string): number {
  return OTHERS[plainId(model)] ?? USUAL;
}
