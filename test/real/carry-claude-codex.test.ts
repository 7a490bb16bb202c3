import { carries } from "./carry.ts";

/** A rollout has no place for a PDF, so a note and a file stand in for it. */
carries("claude", "codex", { media: ["document_dropped", "document_dropped"], rich: ["document_dropped"] });
