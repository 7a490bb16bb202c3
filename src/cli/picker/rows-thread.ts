// The picker's thread: brings the catalog up to date and reads previews.
import { enableCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { Answer, Request, ThreadTask } from "./rows.ts";

// In a function, because the built program is CommonJS, which cannot wait outside of one.
void serve(workerData as ThreadTask);

async function serve({ home, redact, isShown, compiled }: ThreadTask): Promise<void> {
  if (compiled !== undefined) enableCompileCache(compiled);
  const [{ loading, previewing }, { hideSecrets }] = await Promise.all([
    import("./background.ts"),
    import("../redaction.ts"),
  ]);
  await hideSecrets(redact);
  const answer = (message: Answer) => parentPort?.postMessage(message);
  const load = loading(home, isShown, answer);
  const preview = previewing(home, answer);
  parentPort?.on("message", (request: Request) => {
    if (request.type === "load") void load();
    else void preview(request.session);
  });
}
