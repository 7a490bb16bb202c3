// How a model is called when people read it, whatever the spelling in which a store names it.
import { vendorOf } from "../session/vendor.ts";
import { spelled } from "./family.ts";
import { MODELS } from "./known.ts";
import type { Model } from "./model.ts";
import { OPEN_MODELS } from "./open.ts";

/** A model of nobody we know keeps its id. */
export function displayName(id: string): string {
  return modelOf(id)?.name ?? builtName(plainId(id)) ?? withoutControls(id);
}

/** What is known of the model, or undefined. */
export function modelOf(id: string): Model | undefined {
  const exact = BY_ID.get(id);
  if (exact) return exact;
  const name = plainId(id);
  return byPlainId().get(name) ?? openModel(name);
}

/** The id of a model that is named as people read it: "Sonnet 4.5" or "gpt 4o"; an id stays what it is. */
export function idNamed(given: string): string {
  // A name as it is shown may be spelled like an id, which no vendor knows in capitals: "GPT-4o".
  if (modelOf(given) && !MODELS.some(({ name }) => name === given)) return given;
  const letters = (name: string) => name.toLowerCase().replace(/^claude |[^a-z0-9]+/g, "");
  const asked = letters(given);
  return MODELS.find(({ name }) => letters(name) === asked)?.id ?? given;
}

/** Whether a store's id asks for the window of a million tokens. */
export function isLong(id: string): boolean {
  return LONG.test(id);
}

const LONG = /\[1m\]$/i;

/**
 * The id without what says where or when it was served: `openrouter/anthropic/claude-sonnet-4.5:beta`,
 * `us.anthropic.claude-sonnet-4-5-20250929-v1:0`, `claude-sonnet-4-5@20250929` and `claude-sonnet-4-5[1m]` are one.
 */
export function plainId(id: string): string {
  const name = withoutControls(id)
    .toLowerCase()
    .replace(LONG, "")
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z-]+\.)?(?:anthropic|meta|deepseek|mistral|qwen|openai|moonshot|zai|minimax)\./, "")
    .replace(/-v?\d+:\d+$|(?<=^claude-.*)-v\d+$/, "")
    .replace(/:[a-z]+$|\((?:minimal|low|medium|high|xhigh)\)$/, "")
    .replace(/[-@](?:20\d{6}|20\d\d-\d\d-\d\d)$/, "")
    .replace(/-(?:latest|00\d)$/, "")
    .replace(/-exp(?:-\d\d-?\d\d)?$/, "")
    .replace(/(-preview)-\d\d-(?:\d\d|20\d\d)$/, "$1");
  if (vendorOf(name) !== "anthropic") return name;
  return inOrder(name.replaceAll(".", "-"));
}

/** Whether two ids name one model: not of two days, where both say which. */
export function isSameModel(one: string, other: string): boolean {
  const [day, otherDay] = [dayOf(one), dayOf(other)];
  return plainId(one) === plainId(other) && (day === undefined || otherDay === undefined || day === otherDay);
}

function dayOf(id: string): string | undefined {
  return /[-@](20\d\d)-?(\d\d)-?(\d\d)(?![\d])/.exec(id)?.slice(1).join("");
}

/** `claude-4-5-sonnet`, as some routers write it, for `claude-sonnet-4-5`; the models before 4 were called that. */
function inOrder(name: string): string {
  return name.replace(/^claude-(\d+(?:-\d{1,2})?)-([a-z]+)/, (all, version: string, family: string) =>
    Number.parseInt(version, 10) < 4 ? all : `claude-${family}-${version}`,
  );
}

function withoutControls(id: string): string {
  // Nearly all are plain, and the sets take a millisecond to be made.
  const isPlain = /^[ -~]*$/.test(id);
  return (isPlain ? id : id.replace(/[\p{Cc}\p{Cf}]/gu, "")).trim();
}

const BY_ID = new Map(MODELS.map((model) => [model.id, model]));
let plain: ReadonlyMap<string, Model> | undefined;

/** Made when a store has an id that is not spelled as ours are: it takes a millisecond or two. */
function byPlainId(): ReadonlyMap<string, Model> {
  plain ??= new Map(MODELS.map((model) => [plainId(model.id), model]));
  return plain;
}

let open: ReadonlyMap<string, Model> | undefined;

/** A row without a size stands for all sizes, each of which is a model of its own. */
function openModel(name: string): Model | undefined {
  const key = ({ family, size }: ReturnType<typeof spelled>) => `${family} ${size}`;
  // Rows with a date are for that very id.
  const undated = OPEN_MODELS.filter(({ id }) => !/-\d{4}$/.test(id));
  open ??= new Map(undated.map((model) => [key(spelled(model.id)), model]));
  const asked = spelled(name);
  const sized = open.get(key(asked));
  const model = sized ?? open.get(key({ ...asked, size: "" }));
  if (!model || sized) return model;
  return { ...model, id: `${model.id}:${asked.size}`, name: `${model.name} ${asked.size.toUpperCase()}` };
}

/** The name of a model that came out after this was written, where its id is made like the others. */
function builtName(id: string): string | undefined {
  const claude = /^claude-(?:(\d+(?:-\d{1,2})?)-)?([a-z]+)(?:-(\d+(?:-\d{1,2})?))?((?:-[a-z]+)*)$/.exec(id);
  const version = claude?.[1] ?? claude?.[3];
  if (claude && version) return words(claude[2], version.replace("-", "."), ...(claude[4]?.split("-") ?? []));
  const numbered = /^(gemini|gpt|o)-?(\d[\w.]*)((?:-[a-z]+)*)$/.exec(id);
  if (!numbered) return undefined;
  const [, family = "", number = "", rest = ""] = numbered;
  const first = { gemini: `Gemini ${number}`, gpt: `GPT-${number}` }[family] ?? `O${number}`;
  return [first, words(...rest.split("-"))].filter(Boolean).join(" ");
}

function words(...parts: (string | undefined)[]): string {
  return parts
    .filter((part) => part !== undefined && part !== "")
    .map((part) => `${part?.charAt(0).toUpperCase()}${part?.slice(1)}`)
    .join(" ");
}
