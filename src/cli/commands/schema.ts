// schema: the JSON Schema of the universal session.
import { Argument, type Command } from "commander";
import type { Run } from "../command.ts";

export function define(command: Command, run: Run): void {
  command
    .addArgument(new Argument("[name]", "which schema").choices(["universal"]).default("universal"))
    .action(() =>
      run(async ({ output }) => {
        const { universalJsonSchema } = await import("../../session/json-schema.ts");
        await output.json(universalJsonSchema());
        return undefined;
      }),
    );
}
