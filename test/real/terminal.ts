// What a program drew in a terminal, as text. One that redraws jumps over blanks instead of writing them.

const JUMP = /\u001b\[\d*[CG]/g;
const COMMAND = /\u001b(?:\[[0-9;:?<=>]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

export function drawnText(output: string): string {
  return output.replace(JUMP, " ").replace(COMMAND, "");
}
