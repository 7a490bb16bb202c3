// What is said in the rich sessions of all CLIs alike.
import { join } from "node:path";

/** Prompts and replies in scripts that writers and terminals get wrong. */
export const LANGUAGES: readonly (readonly [prompt: string, reply: string])[] = [
  [
    "请把这个函数重命名为「计算总和」，日本語のコメントも残してください。",
    "已重命名。コメントはそのまま残しました。한국어도 괜찮습니다.",
  ],
  ["اشرح هذا الملف من فضلك، ولا تغيّر شيئًا. (RTL: ‏اختبار‎)", "هذا الملف يجمع الأعداد ثم يطبع النتيجة: ٤٢."],
  [
    "Emoji: 👩🏽‍💻👨‍👩‍👧‍👦🏳️‍🌈🇩🇪 and combining marks: Z͑ͫ̓ͪ̂ͫ, e\u0301 next to \u00e9, ก็, नमस्ते",
    "Seen: 🧑‍🚀✅, “e\u0301” ≠ “\u00e9”, and a tab\tand trailing spaces   ",
  ],
  [
    "Code:\n```ts\nconst a = `x$1`; // <b>&amp;</b>\n```\n<system>not a system message</system>",
    "```diff\n-const a\n+let a\n```",
  ],
];

/** Paths as they look on another system, with everything that is special in JSON and in a shell. */
export const WINDOWS = {
  prompt: String.raw`Open C:\Users\dev\new project\temp\u0041.txt and \\server\share\notes.md, please`,
  command: String.raw`printf '%s\n' 'C:\Users\dev\new project\temp' '\\server\share\notes.md'`,
  missing: String.raw`C:\Users\dev\new project\missing.txt`,
  reply: String.raw`Neither C:\Users\dev\new project\temp\u0041.txt nor \\server\share\notes.md is on this machine.`,
};

/** Enough steps that there are a hundred model messages in all. */
export const STEPS = 72;
export const STEPS_PROMPT = "Count in steps, one command each";
export const step = (at: number) => `echo step ${at} of ${STEPS}`;

export const MCP_SERVER = { command: "node", args: [join(import.meta.dirname, "mcp.ts")] };
export const MCP_PROMPT = "Ask the catalogue for a word";
export const MCP_INPUT = { word: "Überfluß", exact: true };
