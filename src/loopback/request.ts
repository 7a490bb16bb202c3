// What a model was asked, in terms that all four APIs share. Whoever compares requests of different vendors
// compares these facts, never the vendors' own shapes.

export type ApiName = "anthropic" | "responses" | "chat" | "gemini";

/** `system` also stands for a developer; a tool's result has the role of the side that sent it, `user`. */
export type Role = "system" | "user" | "assistant";

/** Bytes as they were sent: inline base64, or a reference. */
export interface Bytes {
  mimeType?: string;
  data?: string;
  url?: string;
  name?: string;
}

/** What the result of a call can say in each API: that it failed, and files. Without, files stand behind it. */
export const RESULTS: Readonly<Record<ApiName, { failure: boolean; files: boolean }>> = {
  anthropic: { failure: true, files: true },
  responses: { failure: false, files: true },
  chat: { failure: false, files: false },
  gemini: { failure: true, files: false },
};

export type Block =
  | { type: "text"; text: string }
  /** `hidden`: the vendor kept the words to itself and the signature is all there is. */
  | { type: "thinking"; text: string; signature?: string; hidden?: boolean }
  /** `input` is the parsed arguments, or a string where the call is free text or not valid JSON. */
  | { type: "tool_use"; id: string; name: string; input: unknown; namespace?: string; signature?: string }
  | { type: "tool_result"; callId: string; blocks: Block[]; error?: boolean }
  | ({ type: "image" } & Bytes)
  | ({ type: "document"; text?: string } & Bytes)
  /** A block of a vendor's own, kept whole. */
  | { type: "other"; kind: string; raw: unknown };

export interface Message {
  role: Role;
  blocks: Block[];
}

export interface ModelRequest {
  api: ApiName;
  model: string;
  stream: boolean;
  /** The instructions given apart from the messages. */
  system: string[];
  /** One per native message or item, in order. */
  messages: Message[];
  /** The names of the declared tools. */
  tools: string[];
}

export interface Fact {
  role: Role;
  block: Block;
}

/** Every block with its role, in order: how a vendor groups blocks into messages is its own affair. */
export function facts(request: ModelRequest): Fact[] {
  return request.messages.flatMap(({ role, blocks }) => blocks.map((block) => ({ role, block })));
}

/** The text of a block and of everything inside it. */
export function blockText(block: Block): string {
  if (block.type === "text" || block.type === "thinking") return block.text;
  if (block.type === "tool_result") return block.blocks.map(blockText).filter(Boolean).join("\n");
  if (block.type === "document") return block.text ?? "";
  return "";
}
