// Lines of what a process prints, whatever it prints: any length of piece, invalid UTF-8, endless lines.

const NEWLINE = 10;
/** Twice the largest document that an agent takes; what is longer is no message of any protocol. */
export const LONGEST_LINE_READ = 96 << 20;

export interface LineSplitter {
  push(chunk: Buffer): void;
  /** What came after the last newline. */
  end(): void;
}

export function newLineSplitter(onLine: (line: string) => void, longest = LONGEST_LINE_READ): LineSplitter {
  let rest: Buffer[] = [];
  let size = 0;
  const flush = (last: Buffer) => {
    const bytes = rest.length === 0 ? last : Buffer.concat([...rest, last]);
    rest = [];
    size = 0;
    const line = bytes.toString("utf8").replace(/\r$/, "");
    if (line.trim() !== "") onLine(line);
  };
  return {
    push(chunk) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        flush(chunk.subarray(start, at));
        start = at + 1;
      }
      if (start === chunk.length) return;
      const tail = chunk.subarray(start);
      size += tail.length;
      // Its beginning is enough to say that nobody understands it.
      if (size <= longest) rest.push(tail);
    },
    end() {
      if (rest.length > 0) flush(Buffer.alloc(0));
    },
  };
}
