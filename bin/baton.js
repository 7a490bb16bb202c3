#!/usr/bin/env node
// Starts Baton. Plain JavaScript that any Node from 18 on can run: a Node that is too old for the program
// hands over to the newer one that was installed beside it, or says in one line what to do.

const OLDEST = [22, 18];
/** Commands that go through all sessions: many small ones, which takes a third longer with little memory. */
const ABOUT_ALL = ["list", "sync", "search", "usage", "archive"];

/** Says to the newer Node that its end of the channel tells when the old one is gone. */
const HANDED_OVER = "BATON_HANDED_OVER";

if (isNewEnough(process.versions.node)) await start();
else await handOver();

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** What npm installs is the built program only; a clone has its sources, which count. */
async function start() {
  if (process.env[HANDED_OVER]) endWithLauncher();
  // Importing them as modules would load much more of Node.
  const { existsSync } = process.getBuiltinModule("node:fs");
  const { createRequire, enableCompileCache } = process.getBuiltinModule("node:module");
  const { fileURLToPath } = process.getBuiltinModule("node:url");
  const root = fileURLToPath(new URL("../", import.meta.url));
  const isClone = existsSync(`${root}src/cli/main.ts`);
  if (!ABOUT_ALL.some((name) => process.argv.includes(name))) (await import("./memory.js")).keepMemorySmall();
  // Stripping types at every start would double its time.
  if (isClone) enableCompileCache(`${root}node_modules/.cache/baton`);
  const { main } =
    isClone && !isBuilt(root)
      ? await import(new URL("../src/cli/main.ts", import.meta.url).href)
      : createRequire(import.meta.url)("../dist/cli/main.cjs");
  process.exitCode = await main(process.argv.slice(2));
  // Otherwise Node takes apart all that was made before it ends, for up to a tenth of a second.
  if (isWritten(process.stdout) && isWritten(process.stderr)) process.exit();
}

/** Nothing is on its way any more to whoever reads it: a pipe that is read slowly may have to be waited for. */
function isWritten(stream) {
  return stream.writableLength === 0;
}

/** Whether the sources are still those that were built (scripts/build.ts), which starts faster than they do. */
function isBuilt(root) {
  const { readFileSync, statSync } = process.getBuiltinModule("node:fs");
  const quietly = { throwIfNoEntry: false };
  if (!statSync(`${root}dist/cli/main.cjs`, quietly)) return false;
  try {
    return JSON.parse(readFileSync(`${root}dist/sources.json`, "utf8")).every(([path, mtimeMs, size]) => {
      const found = statSync(root + path, quietly);
      return found?.mtimeMs === mtimeMs && found.size === size;
    });
  } catch {
    // There is none, or what is there is not whole: the sources are.
    return false;
  }
}

/** Killed, the launcher passes no signal on: without this the program, and the agent that it runs, would outlive it. */
function endWithLauncher() {
  delete process.env[HANDED_OVER];
  process.on("disconnect", () => process.kill(process.pid, "SIGHUP"));
  process.channel?.unref();
}

async function handOver() {
  const node = await bundledNode();
  if (node === undefined) return giveUp();
  const { spawn } = await import("node:child_process");
  // Listening comes first: a signal may arrive as soon as the child is there.
  passSignals((signal) => child.kill(signal));
  const child = spawn(node, process.argv.slice(1), {
    stdio: ["inherit", "inherit", "inherit", "ipc"],
    env: { ...process.env, [HANDED_OVER]: "1" },
  });
  child.on("error", giveUp);
  child.on("exit", (code, signal) => {
    if (signal === null) process.exitCode = code;
    else endBy(signal);
  });
}

/** Node's own resolution finds it wherever npm put it: nested, hoisted or global. */
async function bundledNode() {
  const { createRequire } = await import("node:module");
  try {
    return createRequire(import.meta.url).resolve(`node-${process.platform}-${process.arch}/bin/node`);
  } catch (error) {
    if (error.code === "MODULE_NOT_FOUND") return undefined;
    throw error;
  }
}

function passSignals(to) {
  const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the whole foreground group: the child has it already.
      if (signal !== "SIGINT" || !terminal) to(signal);
    });
  }
}

/** Ends as the child ended, so that a shell sees the same. */
function endBy(signal) {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

function giveUp() {
  const found = `Node ${process.versions.node}`;
  console.error(
    `baton: needs Node ${OLDEST.join(".")} or newer, this is ${found}: install it from https://nodejs.org`,
  );
  process.exitCode = 1;
}
