// Keeps memory small on sessions of any size. The engine lets garbage pile up to hundreds of megabytes while
// there is room; these make it collect earlier, which costs little because hardly anything lives long here.
import { setFlagsFromString } from "node:v8";

/** Call it before anything large is read. Node 22.18 to 26 know both flags. */
export function keepMemorySmall(): void {
  setFlagsFromString("--semi-space-growth-factor=1");
  setFlagsFromString("--heap-growing-percent=100");
}
