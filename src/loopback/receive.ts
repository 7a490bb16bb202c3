// Takes a request off the wire: where it wants to go, and its body, inflated and within bounds.
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate, zstdDecompress } from "node:zlib";

const MOST_BYTES = 200 * 1024 * 1024;
const CREDENTIALS = ["authorization", "x-api-key", "x-goog-api-key", "cookie", "proxy-authorization"];
const LOOPBACK = ["127.0.0.1", "localhost", "[::1]", "::1"];

const DECODERS = {
  gzip: promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
  zstd: promisify(zstdDecompress),
} as const;

/** The URL asked for; a client that takes us for a proxy names a host of its own. */
export function targetOf(request: IncomingMessage): URL | undefined {
  const target = request.url ?? "/";
  const base = `http://${request.headers.host ?? "127.0.0.1"}`;
  return URL.parse(target, base) ?? undefined;
}

/** Whether a URL means this server, not another host and not another port of this machine. */
export function isOurs(url: URL, request: IncomingMessage): boolean {
  if (!isLoopback(url.hostname)) return false;
  return request.url?.startsWith("/") === true || url.port === String(request.socket.localPort);
}

export function isLoopback(hostname: string): boolean {
  return LOOPBACK.includes(hostname.toLowerCase()) || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/** The body, or undefined when it is too large. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest is read and thrown away, so that the client gets to see the answer.
    if (size <= MOST_BYTES) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (size > MOST_BYTES) return undefined;
  const bytes = Buffer.concat(chunks);
  const encoding = request.headers["content-encoding"];
  if (encoding === undefined || !(encoding in DECODERS)) return bytes;
  return DECODERS[encoding as keyof typeof DECODERS](bytes, { maxOutputLength: MOST_BYTES });
}

/** The headers without anything that opens a door. */
export function safeHeaders(request: IncomingMessage): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    if (!CREDENTIALS.includes(name)) result[name] = String(value);
  }
  return result;
}
