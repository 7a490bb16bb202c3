// What a user says becomes what a field wants, or nothing: never something else.
import { expect, it } from "vitest";
import { type Answer, agrees, fieldValue, isBlank, type Wanted } from "../../src/adapters/answers.ts";

const choices = [
  { label: "The A", value: "a" },
  { label: "b, c", value: "bc" },
];
const bool: Wanted = {
  type: "boolean",
  choices: [
    { label: "Yes", value: true },
    { label: "No", value: false },
  ],
};

it.each<[string, Wanted, Answer, unknown]>([
  ["a label", { type: "text", choices }, "The A", "a"],
  ["a value", { type: "text", choices }, "bc", "bc"],
  ["a label in other letters", { type: "text", choices }, " the a ", "a"],
  ["no choice", { type: "text", choices }, "mine", undefined],
  ["two where one is wanted", { type: "text", choices }, ["a", "bc"], undefined],
  ["own words", { type: "text", choices: [] }, " as they are ", " as they are "],
  ["no", bool, "no", false],
  ["NO", bool, "NO ", false],
  ["n", bool, "n", false],
  ["y", bool, "y", true],
  ["neither", bool, "please not", undefined],
  ["a number", { type: "number", choices: [] }, " 4.5 ", 4.5],
  ["no number", { type: "number", choices: [] }, "four", undefined],
  ["a list", { type: "list", choices }, ["The A", "b, c"], ["a", "bc"]],
  ["one of a list", { type: "list", choices }, "b, c", ["bc"]],
  ["words of a list", { type: "list", choices }, "the a, bc", ["a", "bc"]],
  ["what is not in the list", { type: "list", choices }, ["The A", "d"], undefined],
  ["own words in a list", { type: "list", choices: [] }, ["x", "y"], ["x", "y"]],
])("%s", (_, wanted, answer, value) => {
  expect(fieldValue(wanted, answer)).toEqual(value);
});

it("what is blank is no answer", () => {
  expect([" ", [], ["", " "]].map(isBlank)).toEqual([true, true, true]);
  expect(["x", ["", "x"]].map(isBlank)).toEqual([false, false]);
});

it("whoever says something else does not agree", () => {
  for (const word of ["Yes", "y", "Done", " yes "]) expect(agrees({ "All of it?": word })).toBe(true);
  for (const word of ["no", "", "I do not", "not done"]) expect(agrees({ "All of it?": word })).toBe(false);
  expect(agrees({})).toBe(true);
});
