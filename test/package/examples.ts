// The README's examples as a reader would run them: one after the other in one home, messages and results in
// the order in which a terminal shows them.
import { newPlace, run } from "../cli/transcript.ts";

/** The text with every `console` block as it turns out now. */
export function runExamples(text: string): string {
  const place = newPlace();
  try {
    return text.replace(/^```console\n([\s\S]*?)^```$/gm, (_, block: string) => {
      const commands = block.split("\n").filter((line) => line.startsWith("$ "));
      const shown = commands.map((line) => {
        const { stdout } = run(place, `exec 2>&1; ${line.slice(2)}`);
        return `${line}\n${stdout.replaceAll(place.home, "~").replaceAll(place.root, "/tmp")}`;
      });
      return `\`\`\`console\n${shown.join("")}\`\`\``;
    });
  } finally {
    place.remove();
  }
}
