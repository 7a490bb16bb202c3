// A program on the whole screen: it draws each key that it gets. `q` ends it, `x` makes it fail.
import { interruptible } from "../../src/cli/interrupt.ts";
import { onScreen } from "../../src/cli/screen.ts";

const work = interruptible(() =>
  onScreen(async (screen) => {
    const keys: string[] = [];
    for (let key = "start"; key !== "q"; key = await screen.key()) {
      if (key === "x") throw new Error("it broke");
      keys.push(key);
      screen.draw([`${screen.columns}x${screen.rows}`, keys.slice(-5).join(" ").slice(0, screen.columns)]);
    }
  }),
);
try {
  await work;
  process.stdout.write("after\n");
} catch (error) {
  process.stdout.write(`${error}\n`);
  process.exitCode = 1;
}
