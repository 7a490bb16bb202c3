// Models that many serve, mostly with open weights, and xAI's. An id is that of Ollama, or of the vendor where Ollama has
// none; a row without a size holds for all sizes. Who serves one decides on caching, so none is claimed, and on prices.
import { type Common, K, M, type Modality, type Model, READS, READS_TEXT, rows, SEES } from "./model.ts";

const WATCHES: readonly Modality[] = ["text", "image", "video"];
const STUDIES: readonly Modality[] = ["text", "image", "pdf", "video"];

function plain(vendor: string, input = READS_TEXT): Common {
  return { vendor, input, thinking: "none", caching: false };
}

function thinking(vendor: string, input = READS_TEXT): Common {
  return { ...plain(vendor, input), thinking: "thoughts" };
}

const XAI: Common = { vendor: "xai", input: READS, thinking: "hidden", caching: true };

export const OPEN_MODELS: readonly Model[] = [
  ...rows(thinking("openai"), [
    ["gpt-oss-120b", "GPT-OSS 120B", 131_072, 32_768],
    ["gpt-oss-20b", "GPT-OSS 20B", 131_072, 32_768],
    ["gpt-oss", "GPT-OSS", 131_072, 32_768],
  ]),
  ...rows(thinking("google", SEES), [["gemma4", "Gemma 4", 262_144, 32_768]]),
  ...rows(plain("google", SEES), [["gemma3", "Gemma 3", 131_072, 16_384]]),
  ...rows(plain("meta", SEES), [
    ["llama4-maverick", "Llama 4 Maverick", 1_048_576, 16_384],
    ["llama4-scout", "Llama 4 Scout", 1_310_720, 16_384],
    ["llama4", "Llama 4", 1_048_576, 16_384],
  ]),
  ...rows(plain("meta"), [
    ["llama3.3", "Llama 3.3", 131_072, 16_384],
    ["llama3.2", "Llama 3.2", 131_072, 16_384],
    ["llama3.1", "Llama 3.1", 131_072, 16_384],
  ]),
  ...rows(thinking("qwen", STUDIES), [["qwen3.8-max", "Qwen3.8 Max", M, 131_072]]),
  ...rows(thinking("qwen", WATCHES), [
    ["qwen3.8", "Qwen3.8", M, 131_072],
    ["qwen3.8-flash", "Qwen3.8 Flash", M, 131_072],
    ["qwen3.7-plus", "Qwen3.7 Plus", M, 131_072],
    ["qwen3.6-plus", "Qwen3.6 Plus", M, 65_536],
    ["qwen3.6", "Qwen3.6", 262_144, 65_536],
    ["qwen3.5", "Qwen3.5", 262_144, 65_536],
  ]),
  ...rows(thinking("qwen"), [
    ["qwen3.7-max", "Qwen3.7 Max", M, 131_072],
    ["qwen3-next-80b-a3b-thinking", "Qwen3 Next 80B Thinking", 262_144, 32_768],
    ["qwen3", "Qwen3", 131_072, 16_384],
    ["qwq", "QwQ", 131_072, 8192],
  ]),
  ...rows(plain("qwen"), [
    ["qwen3-coder-next", "Qwen3 Coder Next", 262_144, 65_536],
    ["qwen3-coder-plus", "Qwen3 Coder Plus", 1_048_576, 65_536],
    ["qwen3-coder-flash", "Qwen3 Coder Flash", M, 65_536],
    ["qwen3-coder", "Qwen3 Coder", 262_144, 65_536],
    ["qwen3-max", "Qwen3 Max", 262_144, 65_536],
    ["qwen3-next", "Qwen3 Next", 262_144, 32_768],
    ["qwen2.5-coder", "Qwen2.5 Coder", 32_768, 8192],
    ["qwen2.5", "Qwen2.5", 131_072, 8192],
  ]),
  ...rows(plain("qwen", SEES), [
    ["qwen3-vl", "Qwen3 VL", 131_072, 32_768],
    ["qwen2.5-vl", "Qwen2.5 VL", 128 * K, 8192],
  ]),
  ...rows(thinking("deepseek", SEES), [
    ["deepseek-v4.1-flash", "DeepSeek V4.1 Flash", M, 384 * K],
    ["deepseek-flash", "DeepSeek Flash", M, 384 * K],
  ]),
  ...rows(thinking("deepseek"), [
    ["deepseek-v4-pro", "DeepSeek V4 Pro", M, 384 * K],
    ["deepseek-v4-flash", "DeepSeek V4 Flash", M, 384 * K],
    ["deepseek-v3.2", "DeepSeek V3.2", 163_840, 65_536],
    ["deepseek-v3.1", "DeepSeek V3.1", 163_840, 32_768],
    ["deepseek-reasoner", "DeepSeek Reasoner", 131_072, 65_536],
    ["deepseek-r1-0528", "DeepSeek R1 0528", 163_840, 32_768],
    ["deepseek-r1", "DeepSeek R1", 64 * K, 16 * K],
  ]),
  ...rows(plain("deepseek"), [
    ["deepseek-v3", "DeepSeek V3", 163_840, 16 * K],
    ["deepseek-chat", "DeepSeek Chat", 131_072, 8192],
  ]),
  ...rows(thinking("mistral", SEES), [["mistral-medium-3.5", "Mistral Medium 3.5", 262_144, 262_144]]),
  ...rows(plain("mistral", SEES), [
    ["mistral-large-2512", "Mistral Large 3", 262_144, 262_144],
    ["mistral-large", "Mistral Large", 262_144, 262_144],
    ["mistral-medium", "Mistral Medium", 131_072, 131_072],
    ["mistral-small", "Mistral Small", 128 * K, 16_384],
  ]),
  ...rows(thinking("mistral"), [
    ["magistral-medium", "Magistral Medium", 128 * K, 16_384],
    ["magistral-small", "Magistral Small", 128 * K, 128 * K],
    ["magistral", "Magistral", 128 * K, 16_384],
  ]),
  ...rows(plain("mistral"), [
    ["mistral-large-2411", "Mistral Large 2.1", 131_072, 16_384],
    ["mistral-nemo", "Mistral Nemo", 128 * K, 16_384],
    ["devstral-2512", "Devstral 2", 262_144, 262_144],
    ["devstral-medium", "Devstral Medium", 128 * K, 128 * K],
    ["devstral-small", "Devstral Small", 128 * K, 128 * K],
    ["devstral", "Devstral", 128 * K, 128 * K],
    ["codestral", "Codestral", 256 * K, 4096],
  ]),
  ...rows(thinking("moonshot", WATCHES), [
    ["kimi-k3", "Kimi K3", 1_048_576, 1_048_576],
    ["kimi-k2.7-code", "Kimi K2.7 Code", 262_144, 262_144],
    ["kimi-k2.6", "Kimi K2.6", 262_144, 262_144],
    ["kimi-k2.5", "Kimi K2.5", 262_144, 65_536],
  ]),
  ...rows(thinking("moonshot"), [["kimi-k2-thinking", "Kimi K2 Thinking", 262_144, 98_304]]),
  ...rows(plain("moonshot"), [
    ["kimi-k2-0905", "Kimi K2 0905", 262_144, 98_304],
    ["kimi-k2", "Kimi K2", 131_072, 98_304],
  ]),
  ...rows(thinking("zhipu", STUDIES), [["glm-5.3-flash", "GLM-5.3-Flash", M, 131_072]]),
  ...rows(thinking("zhipu"), [
    ["glm-5.3", "GLM-5.3", M, 131_072],
    ["glm-5.2", "GLM-5.2", M, 131_072],
    ["glm-5.1", "GLM-5.1", 200 * K, 131_072],
    ["glm-5", "GLM-5", 204_800, 131_072],
    ["glm-4.7", "GLM-4.7", 204_800, 131_072],
    ["glm-4.7-flash", "GLM-4.7-Flash", 200 * K, 131_072],
    ["glm-4.6", "GLM-4.6", 204_800, 131_072],
    ["glm-4.5", "GLM-4.5", 131_072, 98_304],
    ["glm-4.5-air", "GLM-4.5-Air", 131_072, 98_304],
  ]),
  ...rows(thinking("zhipu", WATCHES), [
    ["glm-4.6v", "GLM-4.6V", 128 * K, 32_768],
    ["glm-4.5v", "GLM-4.5V", 64 * K, 16_384],
  ]),
  ...rows(thinking("minimax", WATCHES), [["minimax-m3", "MiniMax M3", 512 * K, 128 * K]]),
  ...rows(thinking("minimax"), [
    ["minimax-m2.7", "MiniMax M2.7", 204_800, 131_072],
    ["minimax-m2.5", "MiniMax M2.5", 204_800, 131_072],
    ["minimax-m2.1", "MiniMax M2.1", 204_800, 131_072],
    ["minimax-m2", "MiniMax M2", 204_800, 131_072],
  ]),
  ...rows(XAI, [
    ["grok-4.7", "Grok 4.7", 500 * K, 500 * K],
    ["grok-4.6", "Grok 4.6", 500 * K, 500 * K],
    ["grok-4.5", "Grok 4.5", 500 * K, 500 * K],
    ["grok-4.3", "Grok 4.3", M, 30 * K],
    ["grok-build-0.1", "Grok Build 0.1", 256 * K, 256 * K],
  ]),
  ...rows({ ...XAI, input: SEES }, [["grok-4", "Grok 4", 256 * K, 64 * K]]),
  ...rows({ ...XAI, input: READS_TEXT, thinking: "thoughts" }, [
    ["grok-code-fast-1", "Grok Code Fast 1", 256 * K, 10 * K],
  ]),
];
