// A permission and questions as the person sees them, and which keys answer.
import { EventEmitter } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PassThrough, Writable } from "node:stream";
import pc from "picocolors";
import { expect, it, vi } from "vitest";
import { askPerson, type Person } from "../../../src/cli/live/asking.ts";
import { type Keyboard, type Listener, newKeyboard, type Stroke } from "../../../src/cli/live/keyboard.ts";
import { erased } from "../../../src/cli/live/page.ts";
import type { EventOf } from "../../../src/session/events.ts";

type Request = EventOf<"approval_request">;

/** Somebody who presses these, each at once, whenever something waits for keys. */
function personWith(presses: (readonly Stroke[])[], height = 24) {
  let said = "";
  let isQuiet = false;
  const interrupts: string[] = [];
  let current: Listener | undefined;
  const press = (listener: Listener) => {
    expect(isQuiet).toBe(true);
    const next = current === listener ? presses.shift() : undefined;
    if (!next) return;
    listener.onStrokes(next);
    queueMicrotask(() => press(listener));
  };
  const keyboard: Keyboard = {
    hold: () => undefined,
    release: () => undefined,
    listen(listener) {
      current = listener;
      queueMicrotask(() => press(listener));
      return () => {
        current = undefined;
      };
    },
    quiet: async () => {
      isQuiet = true;
    },
    settle: () => undefined,
    takeKept: () => [],
  };
  const person: Person = {
    note: (text) => {
      said += text;
    },
    colors: pc.createColors(false),
    width: () => 60,
    height: () => height,
    keyboard,
    output: new Writable({ write: (_, __, done) => done() }),
    rest: async () => undefined,
    drawn: () => undefined,
    onInterrupt: () => interrupts.push("interrupt"),
  };
  return { person, interrupts, said: () => said };
}

const key = (text: string): Stroke => ({ type: "key", text, key: { name: text } });
const ENTER: Stroke = { type: "key", text: "\r", key: { name: "return" } };
const paste = (text: string): Stroke => ({ type: "paste", text });

function request(input: Request["input"], more: Partial<Request> = {}): Request {
  const facts = { type: "approval_request", id: "1", name: "Bash", timeout_ms: 1, seq: 1, timestamp: "" };
  return { ...facts, input, ...more } as Request;
}

async function asked(event: Request, presses: (readonly Stroke[])[], height?: number) {
  const { person, interrupts, said } = personWith(presses, height);
  const decision = await askPerson(event, "Agent", person, new AbortController().signal);
  return { decision, interrupts, said: said() };
}

it("only a key that is pressed alone answers: no paste, no word, no other key", async () => {
  const others = [[paste("y")], [key("y"), key("e"), key("s")], [key("q")], [ENTER], [key("N")]];
  const { decision, said } = await asked(request({ command: "ls" }), others);
  expect(decision).toMatchObject({ allow: false });
  expect(said).toContain("Agent asks: Bash\n    ls\n[y]es, [a]lways in this session, [n]o? ");
});

it("a is for the whole session, y is not", async () => {
  expect((await asked(request({}), [[key("y")]])).decision).toEqual({ allow: true });
  expect((await asked(request({}), [[key("a")]])).decision).toEqual({ allow: true, always: true });
});

it("Ctrl-D interrupts", async () => {
  const eof: Stroke = { type: "key", key: { name: "d", ctrl: true } };
  expect(await asked(request({}), [[eof]])).toMatchObject({ decision: undefined, interrupts: ["interrupt"] });
});

it("of many lines the beginning and the end are shown, and all of them with v", async () => {
  const command = Array.from({ length: 40 }, (_, at) => `echo ${at}`).join("\n");
  const { said } = await asked(request({ command }), [[key("y")]]);
  expect(said).toMatch(/echo 9⏎\n {4}… 25 more lines …\n {6}echo 35⏎\n[\s\S]*echo 39\n\[y\]es/);
  expect(said).not.toContain("echo 20");
  const { said: all, decision } = await asked(request({ command }), [[key("v")], [key("n")]]);
  expect(all).toMatch(/\? v\n {4}echo 0⏎\n[\s\S]*echo 20⏎\n[\s\S]*echo 39\n\[y\]es/);
  expect(decision).toMatchObject({ allow: false });
});

it("arguments that were cut for the stream are shown from the file that has them whole", async () => {
  const folder = mkdtempSync(join(tmpdir(), "baton-asking-"));
  try {
    const path = join(folder, "input.json");
    writeFileSync(path, JSON.stringify({ command: "true\ntouch TAIL" }));
    const cut = { command: "true … [10 more characters]" };
    const { said } = await asked(request(cut, { input_path: path }), [[key("n")]]);
    expect(said).toContain("    true⏎\n      touch TAIL\n");
    rmSync(path);
    const { said: gone } = await asked(request(cut, { input_path: path }), [[key("n")]]);
    expect(gone).toContain("Not all of it can be shown");
    expect(gone).toContain("10 more characters");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("what our words for a call leave out is shown in the agent's own, also where a file has it", async () => {
  const native = { name: "tool", input: { command: "rm -rf x", deep: { a: 1 } } };
  const { said } = await asked(request({ file_path: "a", content: "b" }, { native }), [[key("n")]]);
  expect(said).toContain(
    '    a\n    + b\n    tool, as the agent has it:\n    command: rm -rf x\n    deep: {"a":1}\n[y]es',
  );
  const same = { name: "shell", input: { cmd: "ls" } };
  const { said: once } = await asked(request({ command: "ls" }, { native: same }), [[key("n")]]);
  expect(once).toContain("Agent asks: Bash (shell)\n    ls\n[y]es");
  const folder = mkdtempSync(join(tmpdir(), "baton-asking-"));
  try {
    const input_path = join(folder, "native.json");
    writeFileSync(input_path, JSON.stringify("rm \u001b[2Jx"));
    const bare = { name: "tool", input: "rm ␛[2J…", input_path };
    const { said: kept } = await asked(request({ command: "ls" }, { native: bare }), [[key("n")]]);
    expect(kept).toContain("    ls\n    tool, as the agent has it:\n    rm ␛[2Jx\n[y]es");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

it("what questions are about is said before them", async () => {
  const questions = [{ question: "Confirm", header: "Transfer 1000 EUR", options: [{ label: "Yes" }] }];
  const more = { name: "mcp__shop__elicitation", reason: "Really delete all of it?", questions };
  const { said } = await asked(request({}, more), [[paste("1")], [ENTER]]);
  expect(said).toMatch(
    /^Agent asks: mcp__shop__elicitation\nReally delete all of it\?\nTransfer 1000 EUR: Confirm\n {2}1\. Yes\n/,
  );
});

it("what always would allow is said where the agent takes it for more", async () => {
  const always = ["Bash(npm \u001b[2J*)", "permission mode acceptEdits\nx [y]es"];
  const { said } = await asked(request({ command: "npm test" }, { always }), [[key("a")]]);
  expect(said).toContain(
    "    npm test\n    always would allow: Bash(npm ␛[2J*); permission mode\n    acceptEdits x [y]es\n[y]es",
  );
});

it("a single choice is one number, as it is written", async () => {
  const questions = [{ question: "Which?", options: [{ label: "A" }, { label: "B" }] }];
  const answer = async (typed: string) =>
    (await asked(request({}, { questions }), [[paste(typed)], [ENTER]])).decision?.answers?.["Which?"];
  expect(await answer("2")).toBe("B");
  for (const own of ["2 1", "1e0", "0x1", "3"]) expect(await answer(own)).toBe(own);
});

it("a call is named as the agent names it too, where that is another name", async () => {
  const named = async (name: string) =>
    (
      await asked(request({ path: "a" }, { name: "Write", native: { name, input: { path: "a" } } }), [
        [key("n")],
      ])
    ).said;
  expect(await named("delete_file")).toMatch(/^Agent asks: Write \(delete_file\)\n/);
  expect(await named("write")).toMatch(/^Agent asks: Write\n/);
});

it("a name takes one line", async () => {
  const name = "Tool\n    ls -la\n[y]es, [a]lways in this session, [n]o? y\nOther";
  const { said } = await asked(request({ x: "rm x" }, { name }), [[key("n")]]);
  expect(said).toMatch(/^Agent asks: Tool ls -la \[y\]es, [^\n]* Other\n {4}x: rm x\n/);
});

it("nothing of what an agent wants acts on the terminal", async () => {
  const { said } = await asked(request({ command: "a\u001b[2Jb\rc" }, { reason: "x\u0007y" }), [[key("n")]]);
  expect(said).not.toMatch(/[\u001b\u0007]\[2J|\u0007/);
  expect(said).toContain("    a␛[2Jb␍c\n");
});

it.each([
  ["a title", "ls \u001b]0;touch x;\u0007", "ls ␛]0;touch x;␇"],
  ["a link", "ls \u001b]8;;touch x\u001b\\", "ls ␛]8;;touch x␛\\"],
  ["a colour", "ls \u001b[;touch\u001b[Kx", "ls ␛[;touch␛[Kx"],
  ["a sequence in one byte", "ls \u009b;touch\u009dx", "ls <U+009B>;touch<U+009D>x"],
  ["a line that is written over", "touch x\rls", "touch x␍ls"],
  ["what is rubbed out", "touch x\b\b\b\u007f", "touch x␈␈␈␡"],
  ["another direction", "ls \u202ex hcuot\u2066", "ls <U+202E>x hcuot<U+2066>"],
  ["what takes no place", "l\u200bs\ufeff\u{e0041}\u3164", "l<U+200B>s<U+FEFF><U+E0041><U+3164>"],
])("%s hides nothing in a command, an edit, a name", async (_, hidden, seen) => {
  const { said } = await asked(request({ command: hidden, more: [hidden] }), [[key("n")]]);
  expect(said).toContain(`    ${seen}\n`);
  const edits = [{ old_string: hidden, new_string: "b" }];
  const { said: edit } = await asked(
    request({ file_path: hidden, edits, [hidden]: 1 }, { name: hidden, reason: `(${hidden})` }),
    [[key("n")]],
    40,
  );
  expect(edit).toContain(`asks: ${seen}`);
  expect(edit).toContain(`\n(${seen})\n`);
  expect(edit).toContain(`    ${seen}\n`);
  expect(edit).toContain(`    − ${seen}\n`);
  expect(edit).toContain(`${seen}: 1\n`);
  const drawn = `${said}${edit}`.replaceAll(erased("", 60), "");
  expect(drawn).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e\u2066\ufeff]/u);
});

it("questions are answered with numbers or words, once they could be read", async () => {
  const options = [{ label: "Red" }, { label: "Green" }, { label: "Blue" }];
  const answer = async (typed: string, more: object) => {
    const questions = [{ question: "Which?", ...more }];
    const { decision } = await asked(request({}, { questions }), [[paste(typed)], [ENTER]]);
    return decision?.answers?.["Which?"];
  };
  expect(await answer("2", { options })).toBe("Green");
  expect(await answer("2", {})).toBe("2");
  expect(await answer("3, 1", { options, multiple: true })).toEqual(["Blue", "Red"]);
  expect(await answer("4", { options })).toBe("4");
  expect(await answer("neither 1", { options })).toBe("neither 1");
});

it("the rest of a word whose first letter was an answer is meant for nobody, not for the next prompt either", async () => {
  vi.useFakeTimers();
  const input = Object.assign(new EventEmitter(), { resume: () => input, pause: () => input });
  const ignored = () => undefined;
  const keyboard = newKeyboard({
    input: input as unknown as PassThrough,
    output: new Writable({ write: (_, __, done) => done() }),
    onInterrupt: ignored,
    onEnd: ignored,
    onSuspend: ignored,
    onContinue: ignored,
  });
  try {
    keyboard.hold();
    const { person } = personWith([]);
    const decision = askPerson(
      request({ command: "ls" }),
      "Agent",
      { ...person, keyboard },
      new AbortController().signal,
    );
    await vi.advanceTimersByTimeAsync(1000);
    for (const letter of "yes") {
      input.emit("data", Buffer.from(letter));
      await vi.advanceTimersByTimeAsync(100);
    }
    expect(await decision).toEqual({ allow: true });
    expect(keyboard.takeKept()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1000);
    input.emit("data", Buffer.from("n"));
    expect(keyboard.takeKept()).toMatchObject([{ text: "n" }]);
  } finally {
    keyboard.release();
    vi.useRealTimers();
  }
});
