// Entries from one message and its parts. Each step of an assistant message is a message of its own to the model.
import type {
  AssistantEntry,
  Entry,
  Part,
  SystemEntry,
  ToolCall,
  ToolResult,
  UserEntry,
} from "../../session/session.ts";
import { hasInstructionsMark } from "../instructions.ts";
import { type SwitchEntry, switchIn } from "../switched.ts";
import {
  isObject,
  isoTime,
  type JsonObject,
  objectOf,
  objects,
  type PartRow,
  QUESTION,
  text,
  word,
} from "./native.ts";
import { universalCall } from "./tools.ts";

export interface MessageContext {
  id: string;
  index: number;
  /** False when long texts are cut. */
  whole: boolean;
  time: string;
  data: JsonObject;
}

type Odd = (type: string) => void;

/** Parts of either role that no model sees and that need no entry. */
const SILENT = new Set(["step-finish", "patch", "snapshot", "retry", "agent", "compaction"]);

/** What the user typed and what was put in beside it are entries apart. */
export function userEntries(
  context: MessageContext,
  parts: readonly PartRow[],
  odd: Odd,
): (UserEntry | SystemEntry | SwitchEntry)[] {
  const runs: Run[] = [];
  for (const { id, data } of parts) {
    const part = userPart(data, odd);
    if (!part) continue;
    const kind = kindOf(data);
    const run = runs.at(-1);
    if (run?.kind === kind) run.parts.push(part);
    else runs.push({ id: runs.length === 0 ? context.id : id, kind, parts: [part] });
  }
  const shared = { timestamp: context.time, records: [context.index] };
  return runs.map(({ id, kind, parts: inside }) => {
    if (typeof kind !== "string") return { id, ...shared, type: "switch", switch: kind };
    if (kind === "instructions") return { id, ...shared, type: "system", ...contentOf(inside) };
    return {
      id,
      ...shared,
      type: "user",
      ...contentOf(inside),
      ...(kind === "injected" && { injected: true }),
      ...(kind === "ignored" && { note: true }),
    };
  });
}

/** Parts of one kind that follow each other; a switch stands by itself. */
interface Run {
  id: string;
  kind: "typed" | "injected" | "instructions" | "ignored" | SwitchEntry["switch"];
  parts: Part[];
}

function kindOf(data: JsonObject): Run["kind"] {
  const made = switchPart(data);
  if (made) return made;
  if (data.ignored === true) return "ignored";
  if (!isInjected(data)) return "typed";
  return hasInstructionsMark(objectOf(data.metadata)) ? "instructions" : "injected";
}

/** The switch that a text bears which the CLI does not send. */
export function switchPart({ type, ignored, metadata }: JsonObject): SwitchEntry["switch"] | undefined {
  return type === "text" && ignored === true ? switchIn(objectOf(metadata)) : undefined;
}

function isInjected({ type, synthetic }: JsonObject): boolean {
  return synthetic === true || type === "compaction" || type === "subtask";
}

function userPart(data: JsonObject, odd: Odd): Part | undefined {
  switch (data.type) {
    case "text":
      return word(data.text) === undefined ? undefined : { type: "text", text: String(data.text) };
    case "file":
      return isToldBeside(data) ? undefined : filePart(data);
    case "compaction":
      return { type: "text", text: QUESTION };
    case "subtask":
      return { type: "text", text: "The following tool was executed by the user" };
    default:
      if (!SILENT.has(String(data.type))) odd(String(data.type));
      return undefined;
  }
}

/** Texts and folders that were attached stand as text beside their part; only that is sent. */
const TOLD_AS_TEXT = new Set(["text/plain", "application/x-directory"]);

/** Whether a part is a file whose content stands as text beside it. */
export function isToldBeside({ type, mime }: JsonObject): boolean {
  return type === "file" && TOLD_AS_TEXT.has(text(mime) ?? "");
}

function filePart({ mime, url, filename }: JsonObject): Part {
  const mimeType = text(mime) ?? "application/octet-stream";
  const name = word(filename) === undefined ? {} : { name: String(filename) };
  const type = mimeType.startsWith("image/") ? "image" : "document";
  return { type, mimeType, ...bytesOf(text(url) ?? ""), ...name };
}

function bytesOf(url: string): { data: string } | { url: string } {
  const comma = url.startsWith("data:") ? url.indexOf(",") : -1;
  if (comma === -1) return { url };
  const data = url.slice(comma + 1);
  return { data: url.slice(0, comma).endsWith(";base64") ? data : inBase64(data) };
}

/** Of a URL that spells its text out. */
function inBase64(spelled: string): string {
  try {
    return Buffer.from(decodeURIComponent(spelled)).toString("base64");
  } catch {
    // Cut short in a pass over structure, or not spelled as it should be: then it stands for itself.
    return Buffer.from(spelled).toString("base64");
  }
}

/** Parts only where there is more than one plain text. */
function contentOf(parts: Part[]): { content: string; parts?: Part[] } {
  const content = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  return parts.length === 1 && parts[0]?.type === "text" ? { content } : { content, parts };
}

interface Step {
  turn: string;
  parts: PartRow[];
}

/** The parts of each step with the name of its turn; what stands before the first step belongs to it. */
export function stepTurns(message: string, parts: readonly PartRow[]): Step[] {
  const steps: Step[] = [{ turn: message, parts: [] }];
  let isOpen = false;
  for (const part of parts) {
    if (part.data.type === "step-start") {
      if (isOpen) steps.push({ turn: `${message}.${steps.length}`, parts: [] });
      isOpen = true;
      continue;
    }
    steps.at(-1)?.parts.push(part);
  }
  return steps;
}

export interface AssistantEntries {
  entries: Entry[];
  subagents: { session: string; entry: string }[];
}

export function assistantEntries(
  context: MessageContext,
  parts: readonly PartRow[],
  odd: Odd,
): AssistantEntries {
  const found: AssistantEntries = { entries: [], subagents: [] };
  for (const { turn, parts: inside } of stepTurns(context.id, parts))
    addStep(context, turn, inside, odd, found);
  const last = found.entries.at(-1);
  if (last && isAborted(context.data)) last.interrupted = true;
  return found;
}

function addStep(
  context: MessageContext,
  turn: string,
  parts: readonly PartRow[],
  odd: Odd,
  found: AssistantEntries,
): void {
  const results: ToolResult[] = [];
  let run: { id: string; parts: Part[] } | undefined;
  const common = { timestamp: context.time, records: [context.index], turn, ...modelOf(context.data) };
  const close = () => {
    if (run) found.entries.push(assistantEntry(run, common));
    run = undefined;
  };
  for (const { id, data } of parts) {
    const spoken = spokenPart(data);
    if (spoken) {
      run ??= { id, parts: [] };
      run.parts.push(spoken);
    } else if (data.type === "tool") {
      close();
      const call = callOf(id, data, context.whole, common);
      found.entries.push(call);
      results.push(resultOf(id, call.id, data, common));
      const session = word(objectOf(objectOf(data.state).metadata).sessionId);
      if (session !== undefined) found.subagents.push({ session, entry: call.id });
    } else if (data.type !== "text" && data.type !== "reasoning" && !SILENT.has(String(data.type)))
      odd(String(data.type));
  }
  close();
  found.entries.push(...results);
}

type Common = Pick<AssistantEntry, "timestamp" | "records" | "turn" | "provider" | "model">;

function assistantEntry({ id, parts }: { id: string; parts: Part[] }, common: Common): AssistantEntry {
  return { ...common, id, type: "assistant", ...contentOf(parts) };
}

export function modelOf({ modelID, providerID }: JsonObject): { model?: string; provider?: string } {
  const model = word(modelID);
  const provider = word(providerID);
  return { ...(model !== undefined && { model }), ...(provider !== undefined && { provider }) };
}

/** Whether it is a part of what a reply says. */
export function isSpoken(data: JsonObject): boolean {
  return spokenPart(data) !== undefined;
}

/** Empty texts are never sent. */
function spokenPart(data: JsonObject): Part | undefined {
  const said = text(data.text) ?? "";
  if (data.type === "text") return said === "" ? undefined : { type: "text", text: said };
  if (data.type === "file") return isToldBeside(data) ? undefined : filePart(data);
  if (data.type !== "reasoning") return undefined;
  const { signature, isPlain } = signatureOf(objectOf(data.metadata));
  if (said === "" && signature === undefined) return undefined;
  return {
    type: "thinking",
    text: said,
    ...(signature !== undefined && { signature }),
    ...(said === "" && !isPlain && { hidden: true }),
  };
}

/** The vendor's proof of origin, under the vendor's name. `isPlain`: it is for the words, and holds none itself. */
function signatureOf(metadata: JsonObject): { signature?: string; isPlain?: boolean } {
  for (const vendor of Object.values(metadata).filter(isObject)) {
    const plain = word(vendor.signature);
    if (plain !== undefined) return { signature: plain, isPlain: true };
    const signature =
      word(vendor.redactedData) ?? word(vendor.reasoningEncryptedContent) ?? word(vendor.thoughtSignature);
    if (signature !== undefined) return { signature };
  }
  return {};
}

function callOf(id: string, data: JsonObject, whole: boolean, common: Common): ToolCall {
  const state = objectOf(data.state);
  const name = text(data.tool) ?? "unknown";
  const status = state.status === "completed" || state.status === "error" ? state.status : "interrupted";
  return {
    ...common,
    id: word(data.callID) ?? id,
    type: "tool_call",
    ...universalCall(name, objectOf(state.input), whole),
    originalTool: name,
    originalInput: state.input ?? {},
    status,
  };
}

const CLEARED = "[Old tool result content cleared]";
const INTERRUPTED = "[Tool execution was interrupted]";

function resultOf(id: string, callId: string, data: JsonObject, common: Common): ToolResult {
  const state = objectOf(data.state);
  const metadata = objectOf(state.metadata);
  const ended = isoTime(objectOf(state.time).end) ?? common.timestamp;
  const { turn: _, ...rest } = common;
  const result = { ...rest, id, timestamp: ended, type: "tool_result" as const, callId };
  const details = detailsOf(state, metadata);
  switch (state.status) {
    case "completed":
      return { ...result, ...outputOf(state), success: true, ...withDetails(details) };
    case "error": {
      const partial = metadata.interrupted === true ? text(metadata.output) : undefined;
      const error = text(state.error) ?? "";
      if (partial !== undefined)
        return {
          ...result,
          success: false,
          output: partial,
          error,
          interrupted: true,
          ...withDetails(details),
        };
      return { ...result, success: false, output: error, error, ...withDetails(details) };
    }
    default:
      return { ...result, success: false, output: INTERRUPTED, error: INTERRUPTED, interrupted: true };
  }
}

function outputOf(state: JsonObject): Pick<ToolResult, "output" | "parts" | "cleared"> {
  if (objectOf(state.time).compacted) return { output: CLEARED, cleared: true };
  const output = text(state.output) ?? "";
  // Nothing stands beside these, whatever they are.
  const attached = objects(state.attachments).map(filePart);
  if (attached.length === 0) return { output };
  return {
    output,
    parts: [...(output === "" ? [] : [{ type: "text" as const, text: output }]), ...attached],
  };
}

interface Details {
  exitCode?: number;
  title?: string;
  patch?: string;
  durationMs?: number;
}

function detailsOf(state: JsonObject, metadata: JsonObject): Details {
  const { start, end } = objectOf(state.time);
  return {
    ...(typeof metadata.exit === "number" && { exitCode: metadata.exit }),
    ...(word(state.title) !== undefined && { title: String(state.title) }),
    ...(word(metadata.diff) !== undefined && { patch: String(metadata.diff) }),
    ...(typeof start === "number" && typeof end === "number" && { durationMs: end - start }),
  };
}

function withDetails(details: Details): { details?: Record<string, unknown> } {
  return Object.keys(details).length === 0 ? {} : { details: { ...details } };
}

const ABORTED = "MessageAbortedError";

function isAborted({ error }: JsonObject): boolean {
  return objectOf(error).name === ABORTED;
}

/** The CLI leaves out a message that failed, unless it was cut off after it had said something. */
export function isFailed(data: JsonObject, parts: readonly PartRow[]): boolean {
  if (!isObject(data.error)) return false;
  const said = parts.some((part) => part.data.type !== "step-start" && part.data.type !== "reasoning");
  return !(isAborted(data) && said);
}

/** What went wrong, for the user. */
export function errorNote({ id, time, index, data }: MessageContext): SystemEntry | undefined {
  if (!isObject(data.error)) return undefined;
  const { name, data: detail } = data.error;
  const content = word(objectOf(detail).message) ?? text(name) ?? "error";
  const note = { timestamp: time, records: [index], type: "system" as const, note: true };
  return { ...note, id: `${id}.error`, content, subtype: isAborted(data) ? "turn_aborted" : "error" };
}
