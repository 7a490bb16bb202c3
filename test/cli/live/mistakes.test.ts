// Lines that mean nothing, told to somebody who reads that or does not.
import { expect, it } from "vitest";
import { newMistakes } from "../../../src/cli/live/mistakes.ts";
import type { AgentEvent } from "../../../src/session/events.ts";

/** What is told, as events that are shown when somebody reads them. */
function reader() {
  const told: string[] = [];
  const mistakes = newMistakes((sentence) => told.push(sentence));
  let shown = 0;
  const read = () => {
    while (shown < told.length) mistakes.shown(event(told[shown++] ?? ""));
  };
  return { told, mistakes, read };
}

function event(message: string, code = "bad_input"): AgentEvent {
  return { type: "system", subtype: "error", code, message, hint: "", seq: 1, timestamp: "" } as AgentEvent;
}

it("each is told while they are read, however many they are", () => {
  const { told, mistakes, read } = reader();
  for (let at = 0; at < 1000; at++) {
    mistakes.tell(`mistake ${at}`);
    read();
  }
  mistakes.end();
  expect(told).toEqual(Array.from({ length: 1000 }, (_, at) => `mistake ${at}`));
});

it("those that nobody reads are counted, which is told once there is room, and later ones are told again", () => {
  const { told, mistakes, read } = reader();
  for (let at = 0; at < 100_000; at++) mistakes.tell(`mistake ${at}`);
  mistakes.shown(event("another", "unsupported"));
  expect(told).toHaveLength(100);
  read();
  expect(told.slice(99)).toEqual(["mistake 99", expect.stringContaining("99900")]);
  mistakes.tell("one more");
  expect(told.slice(101)).toEqual(["one more"]);
});

it("what was counted is told when the input ends, though nobody has read the rest", () => {
  const { told, mistakes, read } = reader();
  for (let at = 0; at < 150; at++) mistakes.tell(`mistake ${at}`);
  mistakes.end();
  expect(told.slice(100)).toEqual([expect.stringContaining("50")]);
  read();
  mistakes.end();
  expect(told).toHaveLength(101);
});
