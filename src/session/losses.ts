// The closed list of everything that reading, preparing or writing a session can lose or change. One list
// serves readers, writers, the switch analysis and the reports; docs/losses.md is generated from it.

/** info: nothing a reader would miss; warning: dropped or changed by policy; error: content would be missing. */
export type Severity = "info" | "warning" | "error";

interface LossKind {
  /** The severity used unless the reporter knows better. */
  severity: Severity;
  /** What happened, in a sentence for people. */
  meaning: string;
}

const kinds = {
  // Damage found while reading.
  record_unreadable: {
    severity: "warning",
    meaning: "A record is not valid JSON and was skipped; its bytes are kept.",
  },
  record_truncated: {
    severity: "warning",
    meaning: "The last record is cut off, as after a crash; its bytes are kept.",
  },
  record_glued: { severity: "info", meaning: "Two records stood on one line; both were read." },
  record_comment: { severity: "info", meaning: "A comment line was skipped; its bytes are kept." },
  record_bytes_odd: {
    severity: "info",
    meaning: "Stray bytes (BOM, NUL, bad UTF-8) were found and tolerated.",
  },
  record_unknown: {
    severity: "info",
    meaning: "A record of an unknown type has no entry; its bytes are kept.",
  },
  record_malformed: {
    severity: "warning",
    meaning: "A record lacks a field it needs, or holds one of the wrong type.",
  },
  timestamp_missing: {
    severity: "info",
    meaning: "A record has no usable time; the one before it was taken.",
  },
  parent_missing: { severity: "info", meaning: "A record follows one that is not in the file." },
  id_duplicate: {
    severity: "warning",
    meaning: "Two entries share an id; the later one counts, as in the agent itself.",
  },
  result_orphaned: { severity: "warning", meaning: "A tool result has no call." },
  call_unanswered: { severity: "info", meaning: "A tool call was never answered." },
  session_mixed: { severity: "info", meaning: "Records of another session stand in this file." },
  project_guessed: {
    severity: "info",
    meaning: "No record names the working directory; it was derived from the folder's name.",
  },
  file_missing: { severity: "warning", meaning: "A file that this session refers to is gone." },
  state_overflow: { severity: "info", meaning: "Too many open calls to remember; the oldest were let go." },
  // Decided while preparing.
  thinking_dropped: {
    severity: "warning",
    meaning: "Thinking is bound to the model that wrote it and was left out.",
  },
  thinking_converted: { severity: "warning", meaning: "Thinking was turned into plain text." },
  thinking_hidden: {
    severity: "info",
    meaning: "Reasoning that its vendor never showed stays behind: there is no text of it.",
  },
  artifact_inlined: { severity: "warning", meaning: "An artifact became text or code of its message." },
  tools_omitted: { severity: "warning", meaning: "Tool calls and their results were left out, as asked." },
  instructions_omitted: { severity: "warning", meaning: "The system prompt was left out, as asked." },
  history_summarized: { severity: "warning", meaning: "Older turns were replaced by a summary of them." },
  history_truncated: { severity: "warning", meaning: "Older turns were left out to make room." },
  payload_clipped: {
    severity: "warning",
    meaning: "The middle of a long text was left out to make room; the source has all of it.",
  },
  call_completed: {
    severity: "info",
    meaning: "An unanswered call was given a result that says it was interrupted.",
  },
  result_dropped: { severity: "error", meaning: "A tool result without a call would be missing." },
  context_dropped: {
    severity: "info",
    meaning: "What an agent tells its model about itself was left out; the target tells its own.",
  },
  history_hidden: { severity: "info", meaning: "History that the model no longer sees was left out." },
  paths_remapped: {
    severity: "info",
    meaning: "Paths of a folder that lives elsewhere now were rewritten in tool arguments.",
  },
  secrets_redacted: { severity: "warning", meaning: "Keys, tokens and passwords were replaced by marks." },
  records_withheld: {
    severity: "info",
    meaning: "Native records were left out, because they hold what was redacted.",
  },
  // Met while writing.
  tool_renamed: { severity: "info", meaning: "A tool call was translated to the target's own tool." },
  tool_split: { severity: "info", meaning: "One tool call became several." },
  tool_kept: { severity: "info", meaning: "A tool without a counterpart keeps its name and arguments." },
  tool_argument_kept: {
    severity: "info",
    meaning: "An argument that the target's tool does not have stands beside the others under its own name.",
  },
  tool_argument_dropped: { severity: "warning", meaning: "An argument has no place in the target's tool." },
  number_changed: {
    severity: "warning",
    meaning: "A number in a call's arguments has more digits than the target can hold, and was rounded.",
  },
  edit_approximated: {
    severity: "warning",
    meaning: "An edit could not be expressed exactly in the target's terms.",
  },
  image_dropped: { severity: "warning", meaning: "An image could not be carried inline." },
  document_dropped: {
    severity: "warning",
    meaning: "A document could not be carried inline; a file and a note stand in for it.",
  },
  name_dropped: { severity: "info", meaning: "The name of a document has no place in the target." },
  part_converted: { severity: "info", meaning: "A part was turned into text." },
  text_replaced: {
    severity: "warning",
    meaning: "Half a character, which JSON can spell but no agent takes, was replaced.",
  },
  text_dropped: { severity: "error", meaning: "Text would be missing." },
  call_dropped: { severity: "error", meaning: "A tool call would be missing." },
  id_changed: { severity: "info", meaning: "An id was replaced by one the target accepts." },
  model_changed: { severity: "info", meaning: "The target goes on with a model of its own." },
  role_changed: { severity: "info", meaning: "A system message was carried in another role." },
  subagent_dropped: {
    severity: "warning",
    meaning: "A subagent's own transcript has no place in the target.",
  },
  subagent_linked: { severity: "info", meaning: "A subagent was carried as a linked session." },
  system_dropped: {
    severity: "info",
    meaning: "A note of the agent to its user, never seen by a model, was left out.",
  },
  usage_dropped: { severity: "info", meaning: "Token counts have no place in the target." },
  records_dropped: {
    severity: "info",
    meaning: "Native records without content have no place in the target; they stay in the source.",
  },
  edit_ignored: {
    severity: "warning",
    meaning: "An edit of something the native file cannot express was not written.",
  },
  facts_dropped: {
    severity: "info",
    meaning:
      "Facts about the session as a whole (times, folder, branch, settings) have no place in the target.",
  },
  outcome_dropped: {
    severity: "info",
    meaning: "Whether a tool call failed has no place in the target; its output tells.",
  },
  message_added: { severity: "info", meaning: "The target needs a message where the session has none." },
  links_dropped: { severity: "info", meaning: "Links between sessions have no place in the target." },
  // Found by the analysis of a switch.
  context_fits: { severity: "info", meaning: "The conversation fits into the target's context window." },
  context_reduced: {
    severity: "warning",
    meaning: "The conversation is too long for the target and is reduced as asked.",
  },
  context_too_large: {
    severity: "error",
    meaning: "The conversation is too long for the target, and nothing says how to reduce it.",
  },
  cache_reset: { severity: "info", meaning: "The target reads everything anew, because no cache holds it." },
  mcp_missing: {
    severity: "warning",
    meaning: "An MCP server whose tools were used is not set up in the target: its results stay as context.",
  },
  pdf_unsupported: { severity: "warning", meaning: "The target's model cannot read PDF documents." },
  image_unsupported: { severity: "warning", meaning: "The target's model cannot see images." },
  image_generated: { severity: "info", meaning: "Images that a model made are kept as images or addresses." },
  web_results: {
    severity: "warning",
    meaning: "What a provider's own search or browsing found is kept as context only.",
  },
  code_execution: {
    severity: "info",
    meaning: "Code that ran at a provider is history; the target runs code with its own tools.",
  },
  tool_format: { severity: "info", meaning: "Tool calls are translated into the target's own format." },
  tools_unsupported: {
    severity: "error",
    meaning: "The target's model cannot call tools, and an agent works with nothing else.",
  },
  output_length: {
    severity: "info",
    meaning: "One reply of the target can be longer or shorter than before.",
  },
  reasoning_own: { severity: "info", meaning: "The target's model reasons by itself and does not show it." },
  calls_unfinished: {
    severity: "warning",
    meaning: "Tool calls were still open: they are closed as interrupted, and nothing of them runs on.",
  },
  nothing_to_carry: { severity: "error", meaning: "The session holds no message that a model would see." },
  target_missing: { severity: "error", meaning: "The target's CLI is not installed." },
  target_read_only: {
    severity: "error",
    meaning: "Baton reads this agent's sessions and cannot write them.",
  },
  target_signed_out: { severity: "warning", meaning: "The target's CLI is not signed in." },
  target_limited: { severity: "warning", meaning: "The target's account has reached a limit." },
  target_settings_damaged: {
    severity: "warning",
    meaning: "Settings of the target cannot be read: which model and which MCP servers it has is not known.",
  },
  target_unproven: {
    severity: "warning",
    meaning: "Writing for this version of the target is not proven yet.",
  },
  model_foreign: { severity: "warning", meaning: "The model is of another vendor than the target's own." },
  model_unknown: {
    severity: "info",
    meaning: "Nothing is known of the target's model: cautious defaults were taken.",
  },
} as const satisfies Record<string, LossKind>;

export type LossName = keyof typeof kinds;

export const LOSSES: Readonly<Record<LossName, LossKind>> = kinds;

export interface Loss {
  kind: LossName;
  severity: Severity;
  /** The entry or native record it concerns; neither = the whole session. */
  at: {
    entry?: string;
    /** Where one stands for several: all of them, the first included. */
    entries?: readonly string[];
    record?: number;
    line?: number;
    file?: string;
  };
  detail: string;
}

export function loss(kind: LossName, at: Loss["at"], detail: string, severity?: Severity): Loss {
  return { kind, severity: severity ?? LOSSES[kind].severity, at, detail };
}
