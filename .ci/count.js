// Sums vitest's JSON reports into one line, with what failed right before it. A report that is missing, a file whose
// tests could not even be collected, and an error outside of all tests count as a failure.
import { readFileSync } from "node:fs";

const total = { passed: 0, failed: 0, skipped: 0 };
for (const path of process.argv.slice(2)) {
  const report = read(path);
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  total.skipped += report.numPendingTests + report.numTodoTests;
  for (const line of failuresIn(report)) console.log(line);
  if (report.success || report.numFailedTests > 0) continue;
  console.log(
    `failed: ${path.split("/").at(-1)}, although none of its tests did: look for "Unhandled" above`,
  );
  total.failed += 1;
}
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (total.failed > 0) process.exitCode = 1;

function failuresIn({ testResults }) {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const tests = assertionResults.filter((test) => test.status === "failed");
    if (tests.length === 0 && status === "failed") return [`failed: ${name}: ${firstLine(message)}`];
    return tests.map((test) => `failed: ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
  });
}

function firstLine(text = "") {
  return text.split("\n", 1)[0];
}

function read(path) {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    console.log(`No report: ${error.message}`);
    const none = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 };
    return { ...none, success: false, testResults: [] };
  }
}
