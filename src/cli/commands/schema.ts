// schema: the JSON Schema of the universal session, of the events of a live run, or of another format that has one.
import { Argument, type Command } from "commander";
import type { Run } from "../command.ts";

/** Loaded when they are printed, because they need the schema library. */
const SCHEMAS: Record<string, () => Promise<Record<string, unknown>>> = {
  universal: async () => (await import("../../session/json-schema.ts")).universalJsonSchema(),
  events: async () => (await import("../../session/events.ts")).eventsJsonSchema(),
  ucf: async () => (await import("../../formats/ucf-schema.ts")).ucfJsonSchema(),
};

export function define(command: Command, run: Run): void {
  const names = Object.keys(SCHEMAS);
  command
    .addArgument(new Argument("[name]", "which schema").choices(names).default("universal"))
    .action((name: string) =>
      run(async ({ output }) => {
        await output.json((await SCHEMAS[name]?.()) ?? {});
        return undefined;
      }),
    );
}
