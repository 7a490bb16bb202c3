// Values in the text of JSON: found where they stand, replaced without touching anything else.
import { describe, expect, it } from "vitest";
import { elements, members, memberText, withMember, withoutMembers } from "../../src/storage/json-text.ts";
import { columnsIn, flattened, rowLine, storedLine } from "../../src/storage/rows.ts";

const ODD = '{ "a" : 12345678901234567890 ,"q":"\\\\\\"}{[,", "a": [1, {"b":"]"}],\t"\\u0063":null, "d":{} }';

describe("an object", () => {
  it("is taken apart as it stands", () => {
    const found = members(ODD).map(({ name, value, end }) => [name, ODD.slice(value, end)]);
    expect(found).toEqual([
      ["a", "12345678901234567890"],
      ["q", '"\\\\\\"}{[,"'],
      ["a", '[1, {"b":"]"}]'],
      ["c", "null"],
      ["d", "{}"],
    ]);
    expect(memberText(ODD, "a")).toBe('[1, {"b":"]"}]');
    expect(memberText(ODD, "z")).toBeUndefined();
    expect(members("{}")).toEqual([]);
    expect(members("[1]")).toEqual([]);
  });

  it("gets other values, and all else stays", () => {
    expect(withMember(ODD, "d", "1e400")).toBe(ODD.replace('"d":{}', '"d":1e400'));
    expect(JSON.parse(withMember(ODD, "z", "7"))).toEqual({ ...JSON.parse(ODD), z: 7 });
    expect(withMember("{}", "z", "7")).toBe('{"z":7}');
    expect(withMember('{"a":1,"a":2}', "a", "3")).toBe('{"a":3,"a":3}');
    expect(withoutMembers(ODD, ["a", "c"])).toBe('{"q":"\\\\\\"}{[,","d":{}}');
    expect(withoutMembers(ODD, ["z"])).toBe(ODD);
  });
});

it("a list is taken apart as it stands", () => {
  const list = '[ 1 ,"]",[2,[3]] , {"a":[]} ]';
  expect(elements(list).map(([start, end]) => list.slice(start, end))).toEqual([
    "1",
    '"]"',
    "[2,[3]]",
    '{"a":[]}',
  ]);
  expect(elements("[]")).toEqual([]);
});

it("a line of rows gives back the columns that it was made from", () => {
  const part = rowLine("part", { id: "p", data: '{"n":12345678901234567890,"n":2,"rows":[1],"data":{}}' });
  const cut = rowLine("part", { id: "q", data: '{"n":' });
  const line = rowLine("message", { id: "m", time: 7, data: ODD }, [part, cut]);
  expect([...flattened(storedLine(line))].map(columnsIn)).toEqual([
    { id: "m", time: 7, data: ODD },
    { id: "p", data: '{"n":12345678901234567890,"n":2,"rows":[1],"data":{}}' },
    { id: "q", data: '{"n":' },
  ]);
});
