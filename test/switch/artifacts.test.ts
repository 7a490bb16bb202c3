// What becomes of artifacts: part of their message, as code or text by their kind, in every agent's store and in every
// vendor's form. Nothing makes artifacts of them again.
import { describe, expect, it } from "vitest";
import type { Part } from "../../src/session/session.ts";
import { entryText } from "../../src/session/text.ts";
import { inlined } from "../../src/transform/artifacts.ts";
import { user } from "../session/build.ts";
import { CLAUDE, replied, sourceWith, text } from "./featured.ts";
import { entriesOf, over, partsIn } from "./over.ts";
import { newWorld } from "./world.ts";

type Artifact = Extract<Part, { type: "artifact" }>;

const artifact = (artifactType: string | undefined, more: Partial<Artifact> = {}): Artifact => ({
  type: "artifact",
  artifactId: "1",
  ...(artifactType !== undefined && { artifactType }),
  text: "body",
  ...more,
});

const code = (language: string, content = "body"): Part => ({ type: "code", language, code: content });

const KINDS: [name: string, Artifact, Part][] = [
  ["code with a language", artifact("code", { language: "python" }), code("python")],
  ["code without one", artifact("code"), code("typescript")],
  ["code with a title", artifact("code", { title: "a.ts" }), code("typescript", "// a.ts\nbody")],
  ["react", artifact("react", { title: "App", language: "tsx" }), code("tsx", "// App\nbody")],
  ["react without anything", artifact("react"), code("typescript")],
  ["svg", artifact("svg", { title: "Logo" }), code("svg")],
  ["mermaid", artifact("mermaid"), code("mermaid")],
  ["html", artifact("html"), code("html")],
  ["a document", artifact("document", { title: "Notes" }), text("body")],
  ["something else", artifact("spreadsheet", { title: "Sums" }), text("[Artifact: Sums]\nbody")],
  ["something without a title", artifact("spreadsheet"), text("[Artifact: Untitled]\nbody")],
  [
    "something with an empty title",
    artifact("spreadsheet", { title: "" }),
    text("[Artifact: Untitled]\nbody"),
  ],
  ["something of no kind", artifact(undefined, { title: "It" }), text("[Artifact: It]\nbody")],
  ["application/vnd.ant.code", artifact("application/vnd.ant.code", { language: "go" }), code("go")],
  ["application/vnd.ant.react", artifact("application/vnd.ant.react"), code("typescript")],
  ["application/vnd.ant.mermaid", artifact("application/vnd.ant.mermaid"), code("mermaid")],
  ["image/svg+xml", artifact("image/svg+xml"), code("svg")],
  ["text/html", artifact("text/html"), code("html")],
  ["text/markdown", artifact("text/markdown"), text("body")],
  ["text/plain", artifact("text/plain"), text("body")],
];

it.each(KINDS)("%s", (_, given, expected) => {
  expect(inlined(given)).toEqual(expected);
});

/** As a store without a place for code has it. */
const written = (part: Part): string =>
  part.type === "code"
    ? `\`\`\`${part.language}\n${part.code}\n\`\`\``
    : part.type === "text"
      ? part.text
      : "";

describe.each(["codex", "gemini", "opencode"])("in %s", (to) => {
  it("all of them are there, in their order, and each is announced", async () => {
    const world = await newWorld();
    const parts = KINDS.map(([, given], at) => ({ ...given, text: `body ${at}` }));
    const expected = KINDS.map(([, , part], at) => written(part).replace("body", `body ${at}`));
    const timeline = [user("u1"), replied("a1", [text("here"), ...parts])];
    const { there, losses, analysis } = await over(world, sourceWith(CLAUDE, timeline), to);
    const entries = await entriesOf(world, there);
    const words = entries
      .flatMap((entry) => (entry.type === "assistant" ? [entryText(entry)] : []))
      .join("\n");
    let from = 0;
    for (const one of ["here", ...expected]) {
      const at = words.indexOf(one, from);
      expect(at, one).toBeGreaterThanOrEqual(from);
      from = at + one.length;
    }
    expect(partsIn(entries, "artifact")).toEqual([]);
    expect(losses.filter(({ kind }) => kind === "artifact_inlined")).toHaveLength(KINDS.length);
    expect(analysis.warnings.filter(({ code: one }) => one === "artifact_inlined")).toMatchObject([
      {
        type: "warning",
        message: `${KINDS.length} artifacts will be inlined as code or text.`,
        entries: ["a1"],
      },
    ]);
  });

  it("stay what they became when Claude goes on again", async () => {
    const world = await newWorld();
    const timeline = [user("u1"), replied("a1", [artifact("code", { title: "a.ts" })])];
    const away = await over(world, sourceWith(CLAUDE, timeline), to);
    const back = await over(world, away.there, "claude");
    const entries = await entriesOf(world, back.there);
    expect(entries.find(({ type }) => type === "assistant")).toMatchObject({
      content: "```typescript\n// a.ts\nbody\n```",
    });
    expect(partsIn(entries, "artifact")).toEqual([]);
    expect(back.losses.map(({ kind }) => kind)).not.toContain("artifact_inlined");
  });
});
