#!/usr/bin/env node
// Starts Baton. Plain JavaScript that any Node from 18 on can run: a Node that is too old for the program
// hands over to the newer one that was installed beside it, or says in one line what to do.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const OLDEST = [22, 18];

if (isNewEnough(process.versions.node)) await start();
else await handOver();

function isNewEnough(version) {
  const [major, minor] = version.split(".").map(Number);
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** A clone has the sources and runs them as they are; what npm installs has the compiled program only. */
async function start() {
  const source = new URL("../src/cli/main.ts", import.meta.url);
  const isClone = existsSync(source);
  if (isClone) await keepStripped();
  const { main } = await import(isClone ? source.href : new URL("../dist/cli/main.js", import.meta.url).href);
  process.exitCode = await main(process.argv.slice(2));
}

/** Stripping types at every start would double its time. */
async function keepStripped() {
  const { enableCompileCache } = await import("node:module");
  enableCompileCache(fileURLToPath(new URL("../node_modules/.cache/baton", import.meta.url)));
}

async function handOver() {
  const node = await bundledNode();
  if (node === undefined) return giveUp();
  const { spawn } = await import("node:child_process");
  // Listening comes first: a signal may arrive as soon as the child is there.
  passSignals((signal) => child.kill(signal));
  const child = spawn(node, process.argv.slice(1), { stdio: "inherit" });
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
