// Sums vitest's JSON reports into one line. A report that is missing, or a file whose tests could not even be
// collected, counts as a failure.
import { readFileSync } from "node:fs";

const total = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  const report = read(path);
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += report.numPendingTests + report.numTodoTests;
  if (!report.success && report.numFailedTests === 0) total.failed += 1;
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (total.failed > 0) process.exitCode = 1;

function read(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    console.log(`No report: ${error.message}`);
    return { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0, success: false };
  }
}
