// A real CLI run live, as users run it, in a private home against the loopback model: every event is checked against
// the protocol's rules, and everything that the driver was told is kept for a recording.
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Decision, Input, RunRequest } from "../../src/adapters/driver.ts";
import type { Reply } from "../../src/loopback/reply.ts";
import type { ModelRequest } from "../../src/loopback/request.ts";
import { startLoopback } from "../../src/loopback/server.ts";
import { type LiveRun, type RunOptions, startRun } from "../../src/run/live.ts";
import { newEventChecker } from "../../src/session/event-rules.ts";
import type { AgentEvent, EventOf } from "../../src/session/events.ts";
import { layDown } from "../../src/verify/run.ts";
import { DRIVERS } from "./drivers.ts";
import type { Replies } from "./harness.ts";
import { type Cli, type CliName, installCli } from "./install.ts";
import { adapterOf } from "./read.ts";

export type LiveRig = Awaited<ReturnType<typeof openLive>>;

export type StartOptions = Partial<
  Pick<RunOptions, "hasApprover" | "approvalTimeoutMs" | "silenceMs"> &
    Pick<RunRequest, "mode" | "session" | "model">
> & { env?: Record<string, string> };

export interface Followed {
  run: LiveRun;
  events: AgentEvent[];
  inputs: Input[];
  request: Pick<RunRequest, "cwd" | "mode" | "session" | "model">;
  /** What is wrong with the stream so far. */
  violations: string[];
  complaints: string[];
  /** Waits for an event; fails when the stream ends without it. */
  until(wanted: (event: AgentEvent) => boolean, from?: number): Promise<AgentEvent>;
  /** The result of the next turn from here on; what it asks is answered so, one after the other. */
  turn(prompt: string, ...decisions: Decision[]): Promise<EventOf<"result">>;
  /** The same, interrupted as soon as there is such an event. */
  interrupted(prompt: string, at: AgentEvent["type"]): Promise<EventOf<"result">>;
  ask(afterSeq?: number): Promise<EventOf<"approval_request">>;
  /** Ends the run and waits for the end of the stream. */
  close(): Promise<void>;
}

export async function openLive(name: CliName, cli?: Cli) {
  const installed = cli ?? (await installCli(name));
  const root = await realpath(await mkdtemp(join(tmpdir(), "baton-live-")));
  const [home, cwd] = [join(root, "home"), join(root, "project")];
  for (const folder of [
    home,
    join(root, "tmp"),
    join(cwd, ".git", "objects"),
    join(cwd, ".git", "refs", "heads"),
  ])
    await mkdir(folder, { recursive: true });
  await writeFile(join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
  await writeFile(join(cwd, ".git", "config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n");
  let next: (request: ModelRequest) => Reply | undefined = () => undefined;
  const driver = DRIVERS[name];
  const loopback = await startLoopback({
    script: (request) => next(request) ?? { text: "Understood." },
    strict: driver.sendsTwice !== true,
  });
  await layDown(home, driver.files(loopback.url));
  const adapter = adapterOf(name);
  const followed = new Set<Followed>();

  function environment(): Record<string, string> {
    const proxy = loopback.url;
    const local = "127.0.0.1,localhost,::1";
    return {
      PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
      HOME: home,
      TMPDIR: join(root, "tmp"),
      LANG: "C.UTF-8",
      TERM: "dumb",
      HTTP_PROXY: proxy,
      HTTPS_PROXY: proxy,
      http_proxy: proxy,
      https_proxy: proxy,
      NO_PROXY: local,
      no_proxy: local,
      ...driver.env(home, loopback.url),
    };
  }

  return {
    name,
    home,
    cwd,
    loopback,
    cli: installed,
    environment,
    answer(replies: Replies) {
      const queue = typeof replies === "function" ? [] : [...replies];
      next = (request) => {
        const answer = typeof replies === "function" ? replies : queue.shift();
        return typeof answer === "function" ? answer(request) : answer;
      };
    },
    write: (file: string, content: string) => writeFile(join(cwd, file), content),
    start(options: StartOptions = {}): Followed {
      if (!adapter.run) throw new Error(`${name} cannot be run live`);
      const { mode = "auto", session, model, hasApprover = false, env = {}, ...times } = options;
      const chosen = { ...(session !== undefined && { session }), ...(model !== undefined && { model }) };
      const request = { cwd, mode, ...chosen };
      const inputs: Input[] = [];
      const complaints: string[] = [];
      const run = startRun({
        agent: name,
        provider: adapter.badge,
        driver: adapter.run,
        program: installed.path,
        who: { label: adapter.label },
        request: { ...request, home: { dir: home, env: {} }, version: "0.0.0" },
        hasApprover,
        env: { ...environment(), ...env },
        silenceMs: 60_000,
        ...times,
        onInput: (input) => inputs.push(input),
        onComplaint: (line) => complaints.push(line),
      });
      const one = follow(run, inputs, request, complaints);
      followed.add(one);
      return one;
    },
    async close() {
      for (const one of followed) await one.close();
      await loopback.close();
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What comes after a prompt at the latest: a question, or that there is none. */
const ENDING = new Set<AgentEvent["type"]>(["approval_request", "result"]);

function follow(run: LiveRun, inputs: Input[], request: Followed["request"], complaints: string[]): Followed {
  const events: AgentEvent[] = [];
  const violations: string[] = [];
  const checker = newEventChecker();
  let wake = Promise.withResolvers<void>();
  let isOver = false;
  const done = (async () => {
    for await (const event of run.events) {
      events.push(event);
      violations.push(...checker.check(event));
      wake.resolve();
      wake = Promise.withResolvers();
    }
    violations.push(...checker.end());
    isOver = true;
    wake.resolve();
  })();
  const until: Followed["until"] = async (wanted, from = 0) => {
    for (let at = from; ; at++) {
      while (at >= events.length) {
        if (isOver)
          throw new Error(
            `the run ended; it said:\n${events.map((one) => JSON.stringify(one)).join("\n")}\n${complaints.join("\n")}`,
          );
        await wake.promise;
      }
      const event = events[at] as AgentEvent;
      if (wanted(event)) return event;
    }
  };
  const ask = async (after = 0) => {
    const found = await until(({ type, seq }) => type === "approval_request" && seq > after);
    return found as EventOf<"approval_request">;
  };
  const over = async (from: number) => {
    const result = await until(({ type }) => type === "result", from);
    await until(({ type }) => type === "message_stop", from);
    return result as EventOf<"result">;
  };
  return {
    run,
    events,
    inputs,
    request,
    violations,
    complaints,
    until,
    ask,
    async turn(prompt, ...decisions) {
      const from = events.length;
      let last = events.at(-1)?.seq ?? 0;
      run.prompt(prompt);
      for (const decision of decisions) {
        const next = await until(({ type, seq }) => seq > last && ENDING.has(type), from);
        if (next.type !== "approval_request")
          throw new Error(`it does not ask:\n${events.map((one) => JSON.stringify(one)).join("\n")}`);
        run.decide(next.id, decision);
        last = next.seq;
      }
      return over(from);
    },
    async interrupted(prompt, at) {
      const from = events.length;
      run.prompt(prompt);
      await until(({ type }) => type === at, from);
      run.interrupt();
      return over(from);
    },
    async close() {
      run.finish();
      await done;
    },
  };
}
