// The files that take longest are started first, so that no processor is idle while the last one of them ends.
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Without what an earlier run has measured: a fresh machine knows nothing of it. */
const LONGEST = ["fidelity", "carry-opencode", "truth-opencode", "listed", "return", "carry-gemini", "live"];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => rank(one) - rank(other));
  }
}
