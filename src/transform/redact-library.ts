// The rules of secretlint, one by one and at once: its own runner is asynchronous, and would obey a transcript that
// says `secretlint-disable`. Loaded only when something is to be redacted.

import type { Found } from "./redact-patterns.ts";

export type Library = (text: string, there: ReadonlySet<string>) => Found[];

interface Source {
  content: string;
  filePath: string;
  ext: string;
  contentType: "text";
  hasBOM: boolean;
}

/** What of a rule is used here. */
interface Rule {
  meta: { id: string };
  create(context: Context, options: object): { file?(source: Source): unknown };
}

interface Context {
  sharedOptions: object;
  createTranslator(): (messageId: string, data?: object) => object;
  report(found: { range: readonly [number, number] }): void;
  ignore(): void;
}

const PREFIX = "@secretlint/secretlint-rule-";

/** Rules that are not asked, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  aws: "says where the name begins instead of the secret, 13.0.7; redact-patterns.ts finds the same",
  npm: "the same",
  "filter-comments": "lets a text switch the search off",
  gcp: "knows files by their names only; the key inside is found by its own form",
  sendgrid: "takes any name with two dots; redact-patterns.ts finds the keys",
  slack: "takes whole addresses and stand-ins; redact-patterns.ts finds the rest",
  basicauth: "takes the whole address; redact-patterns.ts takes the password",
  "database-connection-string": "as basicauth",
  privatekey: "redact-keys.ts finds keys that are cut, numbered or inside JSON as well",
};

/** What a text holds that a rule can find something in. A rule without an entry is always asked. */
const ANCHORS: Readonly<Record<string, readonly string[]>> = {
  "1password": ["ops_"],
  anthropic: ["sk-ant-"],
  cloudflare: ["cfk_", "cfut_", "cfat_"],
  databricks: ["dapi"],
  docker: ["dckr_pat_"],
  figma: ["figd_"],
  github: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
  gitlab: ["glpat-"],
  grafana: ["glc_", "glsa_"],
  groq: ["gsk_"],
  "hashicorp-vault": ["hvs.", "hvb.", "hvr."],
  huggingface: ["hf_"],
  linear: ["lin_api_"],
  notion: ["ntn_"],
  openai: ["sk-"],
  shopify: ["shppa_", "shpca_", "shpat_", "shpss_"],
  stripe: ["k_live_", "k_test_"],
  tailscale: ["tskey-"],
  vercel: ["vcp_", "vci_", "vca_", "vcr_", "vck_"],
};

/** What the rules take for the letter of a word before a secret, and is none: escapes, colours, words without spaces. */
const LETTERS =
  /\\(?:[abfnrtv]|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2})|%[0-9A-Fa-f]{2}|\x1b\[[\d;]{0,20}m|[^\x00-\x7f]+/g;

export const LIBRARY_ANCHORS: readonly string[] = Object.values(ANCHORS).flat();

export async function loadLibrary(): Promise<Library> {
  const { rules } = await import("@secretlint/secretlint-rule-preset-recommend");
  return libraryOf(rules as unknown as readonly Rule[]);
}

function libraryOf(rules: readonly Rule[]): Library {
  let found: Found[] = [];
  const asked = rules.flatMap((rule) => {
    const name = rule.meta.id.replace(PREFIX, "");
    if (name in LEFT_OUT) return [];
    const { file } = rule.create(
      {
        sharedOptions: {},
        createTranslator: () => (messageId, data) => ({ message: messageId, messageId, data }),
        report: ({ range: [from, to] }) => found.push({ kind: `${name}-key`, from, to }),
        ignore: () => undefined,
      },
      {},
    );
    return file ? [{ file, anchors: ANCHORS[name] }] : [];
  });
  const isAnchored = asked.every(({ anchors }) => anchors);
  return (text, there) => {
    found = [];
    if (isAnchored && there.size === 0) return found;
    const wanted = asked.filter(({ anchors }) => !anchors || anchors.some((anchor) => there.has(anchor)));
    if (wanted.length === 0) return found;
    const content = text.replace(LETTERS, (letters) => " ".repeat(letters.length));
    for (const { file } of wanted)
      file({ content, filePath: "", ext: "", contentType: "text", hasBOM: false });
    return found;
  };
}
