// A command that makes the summaries: what it is given, what is taken from it, and how it fails.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { commandSummarizer } from "../../src/cli/summarizer.ts";

const REQUEST = {
  prompt: "Summarise this.",
  transcript: "User: hello\n\nAssistant: Grüße 👋",
  maxTokens: 100,
};

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "baton-summarizer-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const isThere = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe("a command that summarises", () => {
  it("reads the task and the conversation, and its answer is what it prints", async () => {
    expect(await commandSummarizer("cat")(REQUEST)).toBe(`${REQUEST.prompt}\n\n${REQUEST.transcript}`);
    expect(await commandSummarizer("tr a-z A-Z | head -n 1; echo '  '")(REQUEST)).toBe("SUMMARISE THIS.");
  });

  it("gets all of a long one, and may print as much", async () => {
    const transcript = "a line of many\n".repeat(200_000);
    const summary = await commandSummarizer("cat")({ ...REQUEST, transcript });
    expect(summary.length).toBe(`${REQUEST.prompt}\n\n${transcript}`.trim().length);
  });

  it("need not read any of it", async () => {
    const transcript = "x".repeat(5_000_000);
    expect(await commandSummarizer("echo done")({ ...REQUEST, transcript })).toBe("done");
    expect(await commandSummarizer("exec <&-; echo done")({ ...REQUEST, transcript })).toBe("done");
  });

  it("that fails says so with the end of what it complained of, whatever it printed", async () => {
    const command = "echo half; echo 'rate limit reached' >&2; exit 3";
    await expect(commandSummarizer(command)(REQUEST)).rejects.toThrow(
      `\`${command}\` ended with 3. rate limit reached`,
    );
    const long = "yes noise | head -n 5000 >&2; echo the reason >&2; exit 1";
    const error: Error = await commandSummarizer(long)(REQUEST).then(
      () => new Error("it did not fail"),
      (found) => found,
    );
    expect(error.message).toMatch(/ ended with 1\. [\s\S]*noise\nthe reason$/);
    expect(error.message.length).toBeLessThan(600);
  });

  it("that is not there, or is killed, has failed", async () => {
    await expect(commandSummarizer("no-such-command-of-baton")(REQUEST)).rejects.toThrow(/ ended with 127\./);
    await expect(commandSummarizer("kill -9 $$")(REQUEST)).rejects.toThrow(
      "`kill -9 $$` ended with SIGKILL. ",
    );
    await expect(commandSummarizer("kill $$")(REQUEST)).rejects.toThrow("`kill $$` ended with SIGTERM. ");
  });

  it("that prints no text has not summarised anything", async () => {
    const command = "printf 'a \\377\\376 b'";
    await expect(commandSummarizer(command)(REQUEST)).rejects.toThrow(
      `\`${command}\` wrote something that is no text.`,
    );
  });

  it.each(["yes", "yes >&2"])("that never stops printing is ended: %s", async (endless) => {
    const file = join(folder(), "pid");
    // Whoever only stops reading ends `yes`, and not what comes after it.
    const command = `echo $$ > '${file}'; ${endless}; sleep 60`;
    await expect(commandSummarizer(command)(REQUEST)).rejects.toThrow(
      `\`${command}\` wrote more than any summary has.`,
    );
    expect(isThere(Number(readFileSync(file, "utf8")))).toBe(false);
  });

  it("ends when it is stopped", async () => {
    const file = join(folder(), "pid");
    const abort = new AbortController();
    const asked = commandSummarizer(`echo $$ > '${file}'; exec sleep 60`)({
      ...REQUEST,
      signal: abort.signal,
    });
    const settled = asked.catch((error: unknown) => error);
    await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+\n$/), 5_000);
    const pid = Number(readFileSync(file, "utf8"));
    expect(isThere(pid)).toBe(true);
    abort.abort();
    expect(await Promise.race([settled, setTimeout(5_000, "it goes on")])).toMatchObject({
      name: "AbortError",
    });
    await vi.waitFor(() => expect(isThere(pid)).toBe(false), 5_000);
  });

  it("ends with all that it has started when it is stopped", async () => {
    const file = join(folder(), "pid");
    const abort = new AbortController();
    // Not the shell itself: what a shell runs.
    const command = `sh -c 'echo $$ > "${file}"; exec sleep 60'; echo over`;
    const settled = commandSummarizer(command)({ ...REQUEST, signal: abort.signal }).catch(
      (error: unknown) => error,
    );
    await vi.waitFor(() => expect(existsSync(file) && readFileSync(file, "utf8")).toMatch(/^\d+\n$/), 5_000);
    const pid = Number(readFileSync(file, "utf8"));
    onTestFinished(() => {
      if (isThere(pid)) process.kill(pid, "SIGKILL");
    });
    abort.abort();
    expect(await Promise.race([settled, setTimeout(5_000, "it goes on")])).toBeInstanceOf(Error);
    await vi.waitFor(() => expect(isThere(pid)).toBe(false), 5_000);
  });

  it("is not started at all where it was stopped before", async () => {
    const file = join(folder(), "ran");
    const signal = AbortSignal.abort();
    await expect(commandSummarizer(`echo > '${file}'`)({ ...REQUEST, signal })).rejects.toThrow();
    await setTimeout(100);
    expect(existsSync(file)).toBe(false);
  });
});
