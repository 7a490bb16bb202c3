// Whether the target of a switch could go on at once, and which model it would be: installed, signed in, not at a limit,
// able to do the work.
import { describe, expect, it } from "vitest";
import { adapters } from "../../src/adapters/index.ts";
import { carry } from "../../src/switch/carry.ts";
import { lines } from "../adapters/home.ts";
import { analysed, coded, DIRECTIONS, SIGNED_IN } from "./directions.ts";
import { around, CLAUDE, FEATURES, sourceWith } from "./featured.ts";
import { named, newWorld } from "./world.ts";

const TO_GEMINI = DIRECTIONS["Claude → Gemini"];
const TO_GPT = DIRECTIONS["Claude → GPT-4o"];

describe("the target", () => {
  const LOGIN = [
    ["claude", DIRECTIONS["OpenAI → Claude"], "Claude Code is not signed in: `claude auth login` signs in."],
    ["codex", TO_GPT, "Codex CLI is not signed in: `codex login` signs in."],
    ["gemini", TO_GEMINI, "Gemini CLI is not signed in: `gemini` signs in."],
  ] as const;

  it.each(LOGIN)("%s that is signed out says how to sign in", async (_, way, message) => {
    const out = await analysed(way, around([]), { env: {} });
    expect(coded(out.warnings, "target_signed_out")).toEqual([`warning: ${message}`]);
    expect(out).toMatchObject({ canSwitch: true, lossyFeatures: [] });
    const signedIn = await analysed(way, around([]), { env: SIGNED_IN });
    expect(coded(signedIn.warnings, "target_signed_out")).toEqual([]);
  });

  const now = new Date("2026-11-18T11:00:00Z");
  const claudeFile = ".claude/projects/-p/4f395ba0-d6e3-41c6-b90e-8d81cdea11ce.jsonl";
  const refused = lines({
    type: "assistant",
    timestamp: "2026-11-18T10:05:24.149Z",
    message: {
      model: "<synthetic>",
      role: "assistant",
      content: [{ type: "text", text: "You've hit your limit" }],
    },
    quotaLimits: { resetsAt: Date.parse("2026-11-18T13:05:00Z") / 1000 },
    error: "rate_limit",
    isApiErrorMessage: true,
  });

  it("at a limit says how long that may take", async () => {
    const way = DIRECTIONS["OpenAI → Claude"];
    const { warnings, canSwitch } = await analysed(way, around([]), {
      files: { [claudeFile]: refused },
      now,
    });
    expect(coded(warnings, "target_limited")).toEqual([
      'warning: Claude Code has reached a limit ("You\'ve hit your limit"). Estimated wait: 2 h 5 min.',
    ]);
    expect(canSwitch).toBe(true);
    const before = { files: { [claudeFile]: refused }, now: new Date("2026-11-16T11:00:00Z") };
    expect(coded((await analysed(way, around([]), before)).warnings, "target_limited")).toEqual([
      expect.stringMatching(/ Estimated wait: 2 days 2 h\.$/),
    ]);
    const later = { files: { [claudeFile]: refused }, now: new Date("2026-11-18T13:06:00Z") };
    expect(coded((await analysed(way, around([]), later)).warnings, "target_limited")).toEqual([]);
    // Somebody else's limit is none of this one's.
    const other = await analysed(TO_GPT, around([]), { files: { [claudeFile]: refused }, now });
    expect(coded(other.warnings, "target_limited")).toEqual([]);
  });

  it("that is not installed, or of a version that is not proven, is named", async () => {
    const missing = await analysed(TO_GPT, around([]), { installed: undefined });
    expect(coded(missing.warnings, "target_missing")).toEqual([
      "error: Codex CLI is not installed, or not in PATH.",
    ]);
    const newer = await analysed(TO_GPT, around([]), {
      installed: { version: "99.0.0", path: "/bin/codex" },
    });
    expect(coded(newer.warnings, "target_unproven")).toEqual([
      expect.stringMatching(/^warning: Writing for Codex CLI 99\.0\.0 is not proven yet; it is for \d/),
    ]);
    const proven = await analysed(TO_GPT, around([]));
    for (const code of ["target_missing", "target_unproven"])
      expect(coded(proven.warnings, code)).toEqual([]);
  });

  it("whose settings are damaged is said to be unknown, not to lack what they may set", async () => {
    const timeline = around(FEATURES["MCP tools"] ?? []);
    const files = { ".codex/config.toml": "[mcp_servers.github" };
    const { warnings, canSwitch, lossyFeatures } = await analysed(TO_GPT, timeline, { files });
    expect(coded(warnings, "target_settings_damaged")).toEqual([
      expect.stringMatching(
        /^warning: \/.*\/\.codex\/config\.toml cannot be read: the model and the MCP servers that it sets for Codex CLI are not known\.$/,
      ),
    ]);
    expect(coded(warnings, "mcp_missing")).toEqual([
      expect.stringContaining(": whether Codex CLI has such a server is not known. Results stay"),
    ]);
    expect({ canSwitch, lossyFeatures }).toEqual({ canSwitch: true, lossyFeatures: ["mcp"] });
    const whole = await analysed(TO_GPT, timeline, {
      files: { ".codex/config.toml": "[mcp_servers.github]" },
    });
    expect(coded(whole.warnings, "target_settings_damaged")).toEqual([]);
    expect(coded(whole.warnings, "mcp_missing")).toEqual([]);
  });

  it.each(adapters.filter(({ write }) => !write).map(({ id }) => id))("%s can only be read", async (id) => {
    const { canSwitch, warnings } = await analysed({ ...TO_GPT, to: id }, around([]));
    expect(canSwitch).toBe(false);
    expect(coded(warnings, "target_read_only")).toEqual([
      `error: Baton reads ${named(id).label} sessions and cannot write them.`,
    ]);
  });

  it("whose model cannot call tools is none", async () => {
    const { canSwitch, warnings } = await analysed({ ...TO_GPT, model: "o1-mini" }, around([]));
    expect(canSwitch).toBe(false);
    expect(coded(warnings, "tools_unsupported")).toEqual([
      "error: O1 Mini cannot call tools, and Codex CLI works with nothing else.",
    ]);
    expect((await analysed({ ...TO_GPT, model: "o1" }, around([]))).canSwitch).toBe(true);
  });

  it("without a named model takes the one that it is set to, else its vendor's", async () => {
    const { model: _, ...way } = TO_GEMINI;
    const files = { ".gemini/settings.json": { model: { name: "gemini-2.5-flash" } } };
    const set = await analysed(way as typeof TO_GEMINI, around([]), { files });
    expect(set.to).toMatchObject({ model: "gemini-2.5-flash", modelDisplay: "Gemini 2.5 Flash" });
    const plain = await analysed(way as typeof TO_GEMINI, around([]));
    expect(plain.to).toMatchObject({ provider: "gemini", model: expect.stringMatching(/^gemini-3/) });
    const any = await analysed({ ...way, to: "opencode" } as typeof TO_GEMINI, around([]));
    expect(any.to.modelDisplay).toBe("the default model of OpenCode");
    expect(coded(any.warnings, "model_unknown")).toEqual([
      "info: Nothing is known of the default model of OpenCode: a window of 128K, replies of 8K and text are assumed.",
    ]);
  });

  it("that is set to no model goes on with the one that it used last", async () => {
    const world = await newWorld();
    const [to, source] = [named("opencode"), sourceWith(CLAUDE, around([]))];
    await carry({ ...world, source, to, model: "openai/gpt-4o", kind: "resume" });
    const { model: _, ...way } = DIRECTIONS["Claude → OpenCode"];
    const last = await analysed(way as typeof TO_GPT, around([]), { home: world.home });
    expect(last.to).toMatchObject({ model: "openai/gpt-4o", modelDisplay: "GPT-4o" });
    expect(last.targetContextLimit).toBe(128_000);
  });

  it("is refused a session in which nothing was said", async () => {
    const { canSwitch, warnings } = await analysed(TO_GPT, []);
    expect(canSwitch).toBe(false);
    expect(coded(warnings, "nothing_to_carry")).toEqual([
      expect.stringMatching(/^error: There is nothing to [^.:]*: [^.]*\.$/),
    ]);
  });
});
