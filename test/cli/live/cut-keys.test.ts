// Secrets that other events come in the middle of: no part of one is told, nothing else is lost, and the rules hold.
import { expect, it } from "vitest";
import { byLine } from "../../../src/cli/live/by-line.ts";
import { newEventChecker } from "../../../src/session/event-rules.ts";
import type { AgentEvent } from "../../../src/session/events.ts";
import { loadRedactor } from "../../../src/transform/redact.ts";
import { fc } from "../../property.ts";

const PEM_BODY = [
  "MIIBVAIBADANBgkqhkiG9w0BAQEFAASCAT4wggE6AgEAAkEAq7BFUpkGp3zAbCdE",
  "ZfY2kLQ8mN1pT6sV0xW9uR4yH7jB5cD3eG8hK2lM6nP1qS0tU4vX7wZ9aC3bF5dJ",
  "kR8oT2uW6yA1sD4fG7hJ9kL0zX3cVb==",
];
const PEM = ["-----BEGIN PRIVATE KEY-----", ...PEM_BODY, "-----END PRIVATE KEY-----"].join("\n");
const WORD = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC2eF4hJ6kL8nP0rS2uV4";
interface Secret {
  before: string;
  secret: string;
  behind: string;
  bodies: string[];
}
const SECRETS: Record<string, Secret> = {
  "a private key": { before: "Here:\n", secret: PEM, behind: "\nThat is it.\n", bodies: PEM_BODY },
  "a private key in JSON": {
    before: '{"key":"',
    secret: PEM.replaceAll("\n", "\\n"),
    behind: '"} is it.\n',
    bodies: PEM_BODY,
  },
  "a key of one word": {
    before: "Here: ",
    secret: `sk-ant-${WORD}`,
    behind: " and that is it.\n",
    bodies: [WORD],
  },
  "a key without an end": { before: "Here: ", secret: `sk-ant-${WORD}`, behind: "", bodies: [WORD] },
  "a named secret": {
    before: "Here: DB_PASSWORD=",
    secret: "correcthorsebattery9staple",
    behind: " that is it",
    bodies: ["correcthorsebattery9staple"],
  },
};
const wholeOf = ({ before, secret, behind }: Secret) => before + secret + behind;

const text = (words: string, more: object = {}) => ({ type: "text", text: words, message: "m", ...more });
const use = (id: string, more: object = {}) => ({
  type: "tool_use",
  id,
  name: "Bash",
  input: { command: "ls" },
  ...more,
});
const output = (id: string, more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content: "x",
  is_error: false,
  ...more,
});
const failure = { code: "overloaded", message: "busy", hint: "" };
const inner = { parent_tool_use_id: "task", message: "s" };
const OTHERS: Record<string, object[]> = {
  raw: [{ type: "raw", text: "npm WARN" }],
  retry: [{ type: "retry", attempt: 1, error: failure }],
  notice: [{ type: "system", subtype: "notice", message: "requesting" }],
  error: [{ type: "error", ...failure, provider: "anthropic" }],
  interrupt: [{ type: "interrupt" }],
  permission_mode: [{ type: "system", subtype: "permission_mode", permission_mode: "deny" }],
  usage: [{ type: "usage", input_tokens: 1, output_tokens: 1 }],
  thinking: [{ type: "thinking", text: "hm", message: "m" }],
  "another message": [text("hm", { message: "n" })],
  "a subagent's text": [text("hm", inner)],
  "a subagent's call": [use("sub", inner), output("sub", inner)],
  "an approval": [
    { type: "approval_request", id: "1", name: "Bash", input: {}, timeout_ms: 1 },
    { type: "approval", id: "1", decision: "deny", by: "user" },
  ],
  "a result": [output("task")],
};

/** A turn with a subagent at work, and those events in the middle of it. */
function turnOf(middle: readonly object[], end = ""): AgentEvent[] {
  const init = {
    type: "system",
    subtype: "init",
    run: "r",
    agent: "a",
    provider: "p",
    session_id: "",
    model: "",
    cwd: "",
    permission_mode: "default",
  };
  const has = (wanted: object) =>
    middle.some((one) => Object.entries(wanted).every(([name, value]) => Object(one)[name] === value));
  const events = [
    init,
    use("task"),
    ...middle,
    ...(has({ tool_use_id: "task" }) ? [] : [output("task")]),
    ...(has({ type: "usage" }) ? [] : (OTHERS.usage ?? [])),
    {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "",
      session_id: "",
      duration_ms: 1,
      usage: { input_tokens: 1, output_tokens: 1 },
      permission_denials: [],
    },
    { type: "message_stop" },
  ];
  return events.map((event, at) => ({ seq: at + 1, timestamp: at < 2 ? "" : end, ...event }) as AgentEvent);
}

const { text: hide } = await loadRedactor();

async function told(middle: readonly object[], end?: string): Promise<AgentEvent[]> {
  async function* stream() {
    yield* turnOf(middle, end);
  }
  const events: AgentEvent[] = [];
  const checker = newEventChecker();
  for await (const event of byLine(stream(), hide)) {
    expect(checker.check(event)).toEqual([]);
    events.push(event);
  }
  expect(checker.end()).toEqual([]);
  return events;
}

const saidBy = (events: readonly AgentEvent[], message: string) =>
  events
    .flatMap((event) => (event.type === "text" && event.message === message ? [event.text] : []))
    .join("");

const MARKS = /\[redacted: [\w -]+\]/g;

function expectHidden(events: readonly AgentEvent[], bodies: readonly string[]): void {
  const all = JSON.stringify(events.map((event) => ("text" in event ? event.text : event)));
  const shown = [all, ...["m", "s", "n"].map((message) => saidBy(events, message).replace(MARKS, ""))];
  for (const body of bodies)
    for (let at = 0; at + 8 <= body.length; at++)
      for (const one of shown)
        if (one.includes(body.slice(at, at + 8))) expect(one).not.toContain(body.slice(at, at + 8));
}

/** What stands before and behind the secret. */
function expectRest(said: string, { before, behind }: Secret): void {
  expect(said.slice(0, before.length)).toBe(before);
  expect(said.slice(said.length - behind.length)).toBe(behind);
  expect(said).toContain("[redacted: ");
}

for (const [name, secret] of Object.entries(SECRETS))
  it.each(Object.keys(OTHERS))(`${name} is hidden wherever %s comes in the middle of it`, async (other) => {
    const whole = wholeOf(secret);
    for (let at = 1; at < whole.length; at++) {
      const events = await told([text(whole.slice(0, at)), ...(OTHERS[other] ?? []), text(whole.slice(at))]);
      expectHidden(events, secret.bodies);
      expectRest(saidBy(events, "m"), secret);
    }
  });

it("two of them are hidden in texts that come in turns, in pieces of any size", async () => {
  const half = fc.record({
    secret: fc.constantFrom(...Object.values(SECRETS)),
    sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }),
  });
  const whose = fc.constantFrom({ message: "n" }, inner);
  const between = fc.constantFrom("raw", "thinking", "notice", "permission_mode", "retry");
  const property = fc.asyncProperty(half, half, whose, between, async (a, b, more, other) => {
    const [first, second] = [a, b].map(({ secret, sizes }) => cut(wholeOf(secret), sizes));
    const middle = Array.from({ length: Math.max(first?.length ?? 0, second?.length ?? 0) }, (_, at) => [
      ...(first?.[at] ? [text(first[at])] : []),
      ...(second?.[at] ? [text(second[at], more)] : []),
      ...(at % 3 === 0 ? (OTHERS[other] ?? []) : []),
    ]);
    const events = await told(middle.flat());
    expectHidden(events, [...a.secret.bodies, ...b.secret.bodies]);
    expectRest(saidBy(events, "m"), a.secret);
    expectRest(saidBy(events, more.message), b.secret);
  });
  await expect(fc.assert(property, { numRuns: 200 })).resolves.toBeUndefined();
});

/** A text in pieces of these sizes, again and again. */
function cut(whole: string, sizes: readonly number[]): string[] {
  const list: string[] = [];
  for (let start = 0; start < whole.length; start += list.at(-1)?.length ?? 1)
    list.push(whole.slice(start, start + (sizes[list.length % sizes.length] ?? 1)));
  return list;
}

it("a subagent that begins with a key is heard right after its call all the same", async () => {
  for (const { secret, bodies } of Object.values(SECRETS)) {
    const begins = text(secret, { parent_tool_use_id: "own" });
    const events = await told([use("own"), begins, ...(OTHERS.raw ?? []), output("own")]);
    expectHidden(events, bodies);
    expect(saidBy(events, "m")).toContain("[redacted: ");
  }
});

it("what is no key does not wait: it comes before the other event, whatever the line", async () => {
  const words = async (middle: readonly object[]) =>
    (await told(middle)).flatMap((event) => ("text" in event ? [event.text] : []));
  const raw = { type: "raw", text: "-" };
  const plain = ["I look for understanding", "-", " now."];
  expect(await words([text("I look for understanding"), raw, text(" now.")])).toEqual(plain);
  const held = ["I look into ", "-", "src/run2.ts now."];
  expect(await words([text("I look into src/run2.ts"), raw, text(" now.")])).toEqual(held);
  const called = [text("I look into src/run2.ts", inner), use("1", inner), raw, output("1", inner)];
  expect(await words([...called, text("Now", inner)])).toEqual(["I look into ", "src/run2.ts", "-", "Now"]);
});

it("what its speaker says next comes after the end of a message, which waits only if it may be a key", async () => {
  const words = async (middle: readonly object[]) =>
    (await told(middle)).flatMap((event) =>
      "text" in event ? [event.text] : event.type === "approval_request" ? ["?"] : [],
    );
  const next = (said: string) => text(said, { message: "n" });
  const two = [text("I will edit src/config.ts"), next("Now the rest is\n"), next("done.\n")];
  expect(await words(two)).toEqual(["I will edit src/config.ts", "Now the rest is\n", "done.\n"]);
  const ends = [
    "The user asks about understanding the configuration.",
    "See http://localhost:3000/index2.html",
    "It is in src/task-list2.ts, as of 1f2e3d4c5b6a",
    "Is it `src/token.ts`?",
  ];
  for (const end of ends)
    expect(await words([{ type: "thinking", text: end, message: "m" }, text("Yes.\n")])).toEqual([
      end,
      "Yes.\n",
    ]);
  const [asks = {}, answers = {}] = OTHERS["an approval"] ?? [];
  const question = "Shall I use the token from src/config.ts?";
  expect(await words([text(question), asks, answers, text(" Or not?")])).toEqual([question, "?", " Or not?"]);
  for (const begun of ["sk-ant-aB3d", "token=aB3dE5gH", "8HQI0MBLH3rfecianLmfk69GArjbt", "a://b:cd3ef"])
    expect(await words([text(`So it is ${begun}`), next("Next.\n")])).toEqual([
      "So it is ",
      "Next.\n",
      begun,
    ]);
});

it("a subagent's message is not over when another speaks", async () => {
  const events = await told([text("I look into src/run2.ts"), text("hm", inner), text(" now.")]);
  expect(events.flatMap((event) => ("text" in event ? [event.text] : []))).toEqual([
    "I look into ",
    "hm",
    "src/run2.ts now.",
  ]);
});

it("what waited has the time of what it comes with", async () => {
  const middle = [
    text("I look into src/run2.ts"),
    { type: "raw", text: "-" },
    text("sk-ant-aB3d", { message: "n" }),
  ];
  const timed = middle.map((event, at) => ({ ...event, timestamp: `2026-01-0${at + 1}` }));
  const times = (await told(timed, "2026-01-09")).map(({ timestamp }) => timestamp);
  expect(times).toEqual(times.toSorted());
});

it("a control character does not end a key that it tears", async () => {
  for (const torn of ["\u0001", "\u0007", "\u000b", "\u001f"]) {
    const [half, rest] = [WORD.slice(0, 18), WORD.slice(18)];
    for (const middle of [OTHERS.raw ?? [], OTHERS["another message"] ?? [], OTHERS["an approval"] ?? []]) {
      const events = await told([text(`use ghp_${half}${torn}X`), ...middle, text(`${rest} now\n`)]);
      expectHidden(events, [half, rest]);
      expect(saidBy(events, "m")).toMatch(/^use \[redacted: [\w -]+\] now\n$/);
    }
  }
});

it("a secret behind a word that was told is no part of it", async () => {
  const called = [text("Let me look", inner), use("1", inner), output("1", inner)];
  const events = await told([...called, text(`sk-ant-${WORD}\n`, inner)]);
  expect(saidBy(events, "s")).toMatch(/^Let me look\[redacted: anthropic-key \d+\]\n$/);
});

it("of more messages than are kept open nothing is lost", async () => {
  const messages = Array.from({ length: 300 }, (_, at) => text(`word${at}word`, { message: String(at) }));
  const events = await told(messages);
  expect(events.flatMap((event) => (event.type === "text" ? [event.text] : []))).toEqual(
    messages.map((one) => one.text),
  );
});

it("what waits in many messages is not looked through again for every other event", async () => {
  const waiting = Array.from({ length: 100 }, (_, at) =>
    text(`${"x".repeat(9000)}1`, { message: String(at), parent_tool_use_id: String(at) }),
  );
  const others = Array.from({ length: 20_000 }, () => ({ type: "raw", text: "-" }));
  // It would take many times as long as a test may.
  expect(await told([...waiting, ...others])).toHaveLength(20_106);
});

it("a key that goes on behind a call of its own message is hidden from there on", async () => {
  for (const { secret, bodies } of Object.values(SECRETS))
    for (let at = 1; at < secret.length; at++) {
      const events = await told([
        text(secret.slice(0, at), inner),
        use("1", inner),
        output("1", inner),
        text(`${secret.slice(at)}\n`, inner),
      ]);
      const [, behind = ""] = events.flatMap((event, from) =>
        event.type === "tool_use" && event.id === "1" ? ["", saidBy(events.slice(from), "s")] : [],
      );
      for (const body of bodies)
        for (let from = 0; from + 8 <= body.length; from++)
          if (behind.includes(body.slice(from, from + 8))) expect(behind).toBe("");
      expect(saidBy(events, "s")).toContain("[redacted: ");
    }
});
