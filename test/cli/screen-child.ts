// A program on the whole screen: it draws each key that it gets. `q` ends it, `x` makes it fail, `c` makes it crash,
// `l` lends the terminal until a line is typed.
import { once } from "node:events";
import { interruptible, onInterrupt } from "../../src/cli/interrupt.ts";
import { openScreen } from "../../src/cli/screen.ts";

const keys = ["start"];
const ended = Promise.withResolvers<void>();
const show = (key: string) => {
  keys.push(key);
  const { columns, rows } = screen.size();
  screen.draw([`${columns}x${rows}`, keys.slice(-5).join(" ").slice(0, columns)]);
};
const lend = () =>
  screen.lend(async () => {
    process.stdout.write("lent\n");
    process.stdin.resume();
    await once(process.stdin, "data");
    process.stdin.pause();
  });
const acts: Record<string, () => void> = {
  q: ended.resolve,
  x: () => ended.reject(new Error("it broke")),
  c: () =>
    setTimeout(() => {
      throw new Error("it crashed");
    }),
  l: () => lend().then(() => show("back"), ended.reject),
  interrupt: () => onInterrupt("SIGINT"),
  suspend: () => screen.suspend(),
};
const screen = openScreen({
  onKey(key) {
    const name = key.type === "named" ? key.name : key.type === "alt" ? `alt-${key.letter}` : key.text;
    const act = acts[name];
    if (act) act();
    else show(key.type === "paste" ? `<${name}>` : name);
  },
  onResize: () => show("resize"),
  onEnd: () => ended.reject(new Error("the terminal is gone")),
});
try {
  await interruptible(() => {
    screen.draw(["", ...keys]);
    return ended.promise;
  }).finally(screen.close);
  process.stdout.write("after\n");
} catch (error) {
  process.stdout.write(`${error}\n`);
  process.exitCode = 1;
}
