// Syncs until it is killed: `node sync-child.ts HOME BATON_HOME [rebuild]`. Says when it begins.
import { discardCatalog } from "../../src/catalog/catalog.ts";
import { synced } from "./dump.ts";

const [home, own, how] = process.argv.slice(2) as [string, string, string?];
process.send?.("begins");
if (how === "rebuild") discardCatalog(own);
await synced(home, own);
process.send?.("done");
process.disconnect?.();
