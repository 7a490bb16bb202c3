// Open weights go by many names: Ollama, Docker, LM Studio and the routers each spell size, format and version in a way
// of their own. Here these spellings become one.

export interface Spelled {
  /** Without size and date. */
  family: string;
  /** `8b`, or nothing. */
  size: string;
}

/**
 * `qwen/qwen3-coder-30b-a3b-instruct`, `qwen3-coder:30b-q4_k_m` and `ai/qwen3-coder:30B` are `qwen3-coder` and `30b`. The
 * id has no router's prefix any more, and no capitals.
 */
export function spelled(id: string): Spelled {
  const words = id
    .replace(/^([a-z]+)-(?=\d)/, "$1")
    .replace(/^([a-z]+\d)-(\d)(?=-|$)/, "$1.$2")
    .split(/[-:_]/);
  const size = words.find((word) => SIZE.test(word)) ?? "";
  return { family: words.filter((word) => !SIZE.test(word) && !FORMAT.test(word)).join("-"), size };
}

const SIZE = /^\d+(?:\.\d+)?(?:x\d+)?[bt]$/;

/** How it was trained to answer, its experts, its date, and how its numbers are stored. */
const FORMAT =
  /^(?:instruct|it|hf|preview|cloud|free|a\d+b|\d+e|\d{4}|gguf|mlx|awq|gptq|qat|ud|[bf]?f16|fp\d+|int\d|\d+bit|i?q\d+|k|x?[sml]|xl)$/;
