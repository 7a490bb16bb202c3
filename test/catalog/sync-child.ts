// Syncs until it is killed: `node sync-child.ts HOME BATON_HOME`. Says when it begins.
import { synced } from "./dump.ts";

const [home, own] = process.argv.slice(2) as [string, string];
process.send?.("begins");
await synced(home, own);
process.send?.("done");
process.disconnect?.();
