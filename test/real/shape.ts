// The shape of a recording: which kinds of records there are and which fields each kind has. What changes from
// one version of a CLI to the next shows here and not in the values.

/** Kind of record → paths of its fields, each with its type. */
export type Shape = Map<string, Set<string>>;

export function shapeOf(records: Iterable<unknown>): Shape {
  const shape: Shape = new Map();
  for (const record of records) {
    const kind = kindOf(record);
    const fields = shape.get(kind) ?? new Set();
    collect("", record, fields);
    shape.set(kind, fields);
  }
  return shape;
}

/** One line per kind or field that is new (+) or gone (-). */
export function differences(before: Shape, after: Shape): string[] {
  const lines: string[] = [];
  for (const kind of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const was = before.get(kind);
    const is = after.get(kind);
    if (!was) lines.push(`+ ${kind}: a new kind of record`);
    else if (!is) lines.push(`- ${kind}: no longer written`);
    else {
      for (const field of is) if (!was.has(field)) lines.push(`+ ${kind}: ${field}`);
      for (const field of was) if (!is.has(field)) lines.push(`- ${kind}: ${field}`);
    }
  }
  return lines;
}

/** The words that tell records apart, wherever the vendor keeps them. */
function kindOf(record: unknown): string {
  const words: string[] = [];
  for (let at: unknown = record, depth = 0; isObject(at) && depth < 4; depth++) {
    for (const key of ["type", "subtype", "role"]) if (typeof at[key] === "string") words.push(at[key]);
    at = at.payload ?? at.attachment ?? at.item;
  }
  return words.join("/") || "untyped";
}

function collect(path: string, value: unknown, fields: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(`${path}[]`, item, fields);
  } else if (isObject(value)) {
    for (const [key, item] of Object.entries(value))
      collect(path === "" ? nameOf(key) : `${path}.${nameOf(key)}`, item, fields);
  } else fields.add(`${path}: ${value === null ? "null" : typeof value}`);
}

/** Ids and paths as keys are values, not fields. */
function nameOf(key: string): string {
  return /[/\d]/.test(key) ? "*" : key;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
