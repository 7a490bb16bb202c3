// Loaded before a program that is measured: when it ends, its highest resident set (threads included) is noted.
import { writeFileSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

if (isMainThread)
  process.on("exit", () => {
    const { maxRSS } = process.resourceUsage();
    writeFileSync(process.env.BENCH_EXIT_FILE, JSON.stringify({ rss: maxRSS * 1024 }));
  });
