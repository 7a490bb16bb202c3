// Generates timelines as damage, long work and other agents leave them: prompts, injected messages, parallel calls,
// calls without results and results without calls, payloads of any size, images, texts of every script.
import type { Entry, Part } from "../../src/session/session.ts";
import { fc } from "../property.ts";
import { assistant, call, result, user } from "../session/build.ts";
import { switched } from "../session/switched.ts";

const repeated = (unit: string, most: number) =>
  fc.integer({ min: 0, max: most }).map((times) => unit.repeat(times));

const short = fc.oneof(
  fc.constantFrom("", "Why?", "改めて全部確認してください。", "a\nb\n\nc", "🙂👍🏽"),
  fc.string({ unit: "grapheme", maxLength: 40 }).map((text) => text.toWellFormed()),
);
const long = fc.oneof(
  repeated("a line of words, 12 numbers and (marks)\n", 400),
  repeated("我们决定把所有的测试都再运行一遍。", 800),
  repeated("x", 20_000),
  repeated('{"key": [1, 2, 3]}, ', 500),
  repeated("🙂", 4_000),
);
const text = fc.oneof({ weight: 4, arbitrary: short }, { weight: 1, arbitrary: long });
const payload = fc.oneof(short, long);

const IMAGE: Part = { type: "image", mimeType: "image/png", data: "iVBORw0KGgo=" };
const DOCUMENT: Part = { type: "document", mimeType: "application/pdf", data: "JVBERi0xLjQ=", name: "a.pdf" };
const media = fc.array(fc.constantFrom(IMAGE, DOCUMENT), { maxLength: 2 });

const spoken = (content: string, found: readonly Part[]) => ({
  content,
  ...(found.length > 0 && { parts: [{ type: "text", text: content } as Part, ...found] }),
});

/** Arguments that get shorter, and some that do not. */
const input = fc.oneof(
  payload.map((command) => ({ command })),
  fc.tuple(short, payload).map(([path, content]) => ({ path, content })),
  fc.integer({ min: 0, max: 3_000 }).map((length) => ({ numbers: Array.from({ length }, (_, at) => at) })),
  fc
    .tuple(fc.integer({ min: 0, max: 200 }), short)
    .map(([length, one]) => ({ items: Array.from({ length }, () => one) })),
  payload.map((body) => ({ patch: `*** Begin Patch\n*** Add File: a.txt\n+${body}\n*** End Patch` })),
);

type Piece = (at: number) => Entry[];

const usage = fc.option(
  fc.record({ input: fc.integer({ min: 0, max: 90_000 }), output: fc.integer({ min: 0, max: 4_000 }) }),
  { freq: 6, nil: undefined },
);

const step = fc.record({
  content: fc.option(text, { nil: undefined }),
  hasTurn: fc.boolean(),
  usage,
  calls: fc.array(
    fc.record({
      input,
      isText: fc.boolean(),
      output: payload,
      media,
      isFailed: fc.boolean(),
    }),
    { maxLength: 3 },
  ),
  unanswered: fc.integer({ min: 0, max: 8 }),
});

const replied: fc.Arbitrary<Piece> = step.map(
  ({ content, hasTurn, usage: used, calls, unanswered }) =>
    (at) => {
      const turn = hasTurn ? { turn: `t${at}` } : {};
      const spoke = content === undefined && calls.length > 0 ? [] : [assistant(`a${at}`, turn)];
      const said = spoke.map(
        (entry) => ({ ...entry, content: content ?? "", ...(used && { usage: used }) }) as Entry,
      );
      const called = calls.map(
        ({ input: given, isText }, number) =>
          ({
            ...call(`c${at}.${number}`, turn),
            ...(isText
              ? { input: {}, originalTool: "do", originalInput: JSON.stringify(given) }
              : { input: given }),
          }) as Entry,
      );
      const answered = calls.flatMap(({ output, media: found, isFailed }, number) =>
        number === unanswered
          ? []
          : [
              {
                ...result(`c${at}.${number}`, {}, `r${at}.${number}`),
                success: !isFailed,
                output: isFailed ? "" : output,
                ...(isFailed && { error: output }),
                ...(found.length > 0 && { parts: found }),
              } as Entry,
            ],
      );
      return [...said, ...called, ...answered];
    },
);

const prompted: fc.Arbitrary<Piece> = fc.tuple(text, media).map(([content, found]) => (at) => [
  { ...user(`u${at}`), ...spoken(content, found) } as Entry,
]);
const injected: fc.Arbitrary<Piece> = text.map((content) => (at) => [
  { ...user(`i${at}`), content, injected: true } as Entry,
]);
const other: fc.Arbitrary<Piece> = fc.oneof(
  fc.constant<Piece>((at) => [switched(`s${at}`)]),
  text.map(
    (output): Piece =>
      (at) => [{ ...result(`gone${at}`, {}, `r${at}`), output } as Entry],
  ),
  text.map(
    (content): Piece =>
      (at) => [{ id: `y${at}`, timestamp: user("u").timestamp, type: "system", content } as Entry],
  ),
);

const piece = fc.oneof(
  { weight: 4, arbitrary: prompted },
  { weight: 8, arbitrary: replied },
  { weight: 1, arbitrary: injected },
  { weight: 1, arbitrary: other },
);

const made = (pieces: readonly Piece[]) => pieces.flatMap((one, at) => one(at));

export const timeline: fc.Arbitrary<Entry[]> = fc.oneof(
  fc.array(piece, { minLength: 1, maxLength: 24 }).map(made),
  // A single giant turn.
  fc
    .tuple(prompted, fc.array(replied, { minLength: 1, maxLength: 20 }))
    .map(([first, rest]) => made([first, ...rest])),
);
