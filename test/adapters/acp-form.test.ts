// Forms become questions that can be told apart, and each answer finds its field.
import { expect, it } from "vitest";
import { contentOf, fieldsOf } from "../../src/adapters/acp-form.ts";

it("fields and choices that are called the same get a number", () => {
  const path = { type: "string", description: "Path" };
  const oneOf = [
    { const: "a", title: "It" },
    { const: "b", title: "It" },
  ];
  const properties = { from: path, to: path, how: { type: "string", oneOf } };
  const form = fieldsOf({ properties, required: ["from", "to"] }, undefined);
  expect(form?.questions).toEqual([
    { question: "Path" },
    { question: "Path (2)" },
    { question: "how", options: [{ label: "It" }, { label: "It (2)" }] },
  ]);
  const fields = form?.fields ?? [];
  const content = { from: "x", to: "y", how: "b" };
  expect(contentOf(fields, { Path: "x", "Path (2)": "y", how: "It (2)" })).toEqual(content);
  expect(contentOf(fields, { from: "x", to: "y", how: "b" })).toEqual(content);
  expect(contentOf(fields, { Path: "x" })).toBeUndefined();
});

it("an answer that makes no value is not dropped, and one that is blank is none", () => {
  const properties = { all: { type: "boolean", title: "Delete ALL backups" }, name: { type: "string" } };
  const { fields } = fieldsOf({ properties, required: ["name"] }, undefined) ?? { fields: [] };
  const answers = { name: "x", "Delete ALL backups": "no" };
  expect(contentOf(fields, answers)).toEqual({ name: "x", all: false });
  expect(contentOf(fields, { ...answers, "Delete ALL backups": "" })).toEqual({ name: "x" });
  expect(contentOf(fields, { ...answers, "Delete ALL backups": "rather not" })).toBeUndefined();
  expect(contentOf(fields, { ...answers, name: " " })).toBeUndefined();
});
