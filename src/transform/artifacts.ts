// Artifacts as plain content: no agent's store has a place for them, so what they say becomes part of the message.
import type { Part } from "../session/session.ts";

type Artifact = Extract<Part, { type: "artifact" }>;

/** Code keeps its language and has its title as a comment; documents are text; the rest says what it was. */
export function inlined(artifact: Artifact): Part {
  const { title, text } = artifact;
  const type = plainType(artifact.artifactType);
  switch (type) {
    case "code":
    case "react": {
      const code = title ? `// ${title}\n${text}` : text;
      return { type: "code", language: artifact.language ?? "typescript", code };
    }
    case "svg":
    case "mermaid":
    case "html":
      return { type: "code", language: type, code: text };
    case "document":
      return { type: "text", text };
    default:
      return { type: "text", text: `[Artifact: ${title || "Untitled"}]\n${text}` };
  }
}

/** Some stores name the kind as a media type. */
const TYPES: Readonly<Record<string, string>> = {
  "application/vnd.ant.code": "code",
  "application/vnd.ant.react": "react",
  "application/vnd.ant.mermaid": "mermaid",
  "image/svg+xml": "svg",
  "text/html": "html",
  "text/markdown": "document",
  "text/plain": "document",
  markdown: "document",
};

function plainType(type = ""): string {
  return TYPES[type] ?? type;
}
