// What keys, tokens and passwords look like where they can be told by their own form or by what stands right before
// them. Forms are taken loosely: hiding a word too many is a smaller harm than showing a key that was cut.

export interface Found {
  kind: string;
  from: number;
  to: number;
}

interface Pattern {
  kind: string;
  /** A text without any of these cannot hold one. */
  anchors: readonly string[];
  /** The secret is the whole match, or its last group, which ends where the match ends. */
  form: RegExp;
  accepts?: Test | undefined;
}

type Test = (secret: string) => boolean;

export function* formedSecrets(text: string, there: ReadonlySet<string>): Generator<Found> {
  for (const { kind, anchors, form, accepts } of PATTERNS) {
    if (!anchors.some((anchor) => there.has(anchor))) continue;
    for (const match of text.matchAll(form)) {
      const secret = match.at(-1) ?? match[0];
      const to = match.index + match[0].length;
      if (!accepts || accepts(secret)) yield { kind, from: to - secret.length, to };
    }
  }
}

export const hasDigit: Test = (text) => /\d/.test(text);
const isMixed: Test = (text) => hasDigit(text) && /[A-Z]/.test(text) && /[a-z]/.test(text);
/** Neither a word of a language nor the name of a variable that holds the secret. */
const isNoWord: Test = (text) => !/^(?:[a-z]+|[A-Z][a-z]+|[A-Z_]+)$/.test(text);
/** Words with hyphens between them, as class names are, have nothing random. */
const isNoName: Test = (text) =>
  hasDigit(text) && text.split("-").some((piece) => !/^(?:[a-z]{1,14}|\d{1,4})$/.test(piece));
/** Neither a variable nor a template. */
const isLiteral: Test = (text) => !/^[$<{*%[/]|\$\{/.test(text);

/** What may stand right before a word: nothing that is part of one, unless it is an escape, a quoted character, a colour. */
export const LEAD = String.raw`(?:^|[^A-Za-z0-9+]|\\[abfnrtv]|\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}|%[0-9A-Fa-f]{2}|\x1b\[[\d;]{0,20}m)`;

/**
 * A word that begins so. Bytes in Base64 may spell that by chance, so what stands before it decides; that is looked at
 * behind the beginning, because looking for plain characters is fast.
 */
function word(kind: string, anchors: readonly string[], rest: string, accepts?: Test): Pattern {
  const begun = anchors.map((anchor) => {
    const plain = anchor.replace(/[./]/g, "\\$&");
    return `${plain}(?<=${LEAD}${plain})`;
  });
  return { kind, anchors, form: new RegExp(`(?:${begun.join("|")})${rest}`, "g"), accepts };
}

/** Where a word begins of which no beginning is known. */
const START = String.raw`(?<=${LEAD})(?!(?<=\\)[abfnrtv]|(?<=\x1b\[)[\d;]{0,20}m)`;

const WORDS: readonly Pattern[] = [
  word("aws-access-key", ["AKIA", "ASIA", "ABIA", "ACCA"], "[A-Z0-9]{16}(?![A-Za-z0-9])"),
  word("github-token", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], "[A-Za-z0-9]{20,}"),
  word("github-token", ["github_pat_"], "[A-Za-z0-9_]{22,}"),
  word(
    "gitlab-token",
    ["glpat-", "gloas-", "glrt-", "gldt-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "glsoat-"],
    "[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]",
    hasDigit,
  ),
  word("slack-token", ["xox"], String.raw`[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,}`, hasDigit),
  word("slack-token", ["xapp-"], "[A-Za-z0-9-]{10,}", hasDigit),
  word("stripe-key", ["sk_live_", "rk_live_", "sk_test_", "rk_test_"], "[A-Za-z0-9]{10,}"),
  word("stripe-key", ["whsec_"], "[A-Za-z0-9+/]{20,}={0,2}"),
  word("anthropic-key", ["sk-ant-"], "[A-Za-z0-9_-]{16,}", hasDigit),
  word("openrouter-key", ["sk-or-"], "[A-Za-z0-9_-]{20,}", isNoName),
  word("openai-key", ["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-service-"], "[A-Za-z0-9_-]{16,}", isNoName),
  word("openai-key", ["sk-"], "[A-Za-z0-9]{20,}", hasDigit),
  word("google-api-key", ["AIza"], "[A-Za-z0-9_-]{30,}"),
  word("google-oauth-token", ["ya29."], "[A-Za-z0-9_.-]{15,}[A-Za-z0-9_-]"),
  word("google-oauth-token", ["GOCSPX-", "1//0"], "[A-Za-z0-9_-]{20,}"),
  word("huggingface-token", ["hf_", "api_org_"], "[A-Za-z0-9]{20,}"),
  word("npm-token", ["npm_"], "[A-Za-z0-9]{24,}", hasDigit),
  word("pypi-token", ["pypi-"], "[A-Za-z0-9_-]{32,}", isMixed),
  word("sendgrid-key", ["SG."], String.raw`[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}`),
  word("twilio-key", ["SK"], "[0-9a-f]{32}(?![A-Za-z0-9])"),
  word("age-key", ["AGE-SECRET-KEY-1", "AGE-PLUGIN-"], "[0-9A-Z-]{20,}"),
  word("service-token", ["dop_v1_", "doo_v1_", "dor_v1_", "sbp_"], "[0-9a-f]{40,}"),
  word("service-token", ["key-"], "[0-9a-f]{32}(?![0-9a-f])"),
  word("service-token", ["ATATT3", "ATCTT3", "ATBB"], "[A-Za-z0-9_=-]{28,}", isMixed),
  word("service-token", ["nvapi-", "pplx-", "xai-", "r8_", "sb_secret_"], "[A-Za-z0-9_-]{24,}", isMixed),
];

const SURROUNDED: readonly Pattern[] = [
  {
    // In a list or a table, where it follows its access key without a name.
    kind: "aws-secret-key",
    anchors: ["AKIA", "ASIA"],
    form: /(?:AKIA|ASIA)[A-Z0-9]{16}["'\s,:;|]{1,12}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])/g,
    accepts: (secret) => !/^[0-9a-f]+$/.test(secret),
  },
  {
    kind: "aws-secret-key",
    anchors: ["ecret", "ECRET"],
    form: /secret_?(?:access_?)?key\\{0,3}["']?[ \t]{0,8}(?:=>|[:=])[ \t]{0,8}\\{0,3}["']?([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])/gi,
  },
  {
    kind: "slack-webhook",
    anchors: ["hooks.slack.com/"],
    form: /hooks\.slack\.com\/(?:services|workflows|triggers)\/([A-Za-z0-9/_-]{20,})/g,
  },
  {
    kind: "discord-webhook",
    anchors: ["/api/webhooks/"],
    form: /\/api\/webhooks\/\d{6,20}\/([A-Za-z0-9_-]{30,})/g,
  },
  {
    // Signed (three pieces), encrypted (five), or cut behind the second.
    kind: "jwt",
    anchors: ["eyJ"],
    form: /eyJ(?:(?<![A-Za-z0-9_+-]eyJ)|(?<=\\[nrt]eyJ|\\u[0-9a-f]{4}eyJ|%[0-9A-F]{2}eyJ|\x1b\[[\d;]{0,20}meyJ))[A-Za-z0-9_-]{8,}(?:\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?|(?:\.[A-Za-z0-9_-]*){4})/g,
  },
  {
    kind: "telegram-token",
    anchors: [":A"],
    form: /(?<!\d)\d{6,12}:A[A-Za-z0-9_-]{30,}/g,
    accepts: isMixed,
  },
  {
    kind: "azure-key",
    anchors: ["AccountKey=", "SharedAccessKey="],
    form: /(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{30,}={0,2})/g,
  },
  { kind: "azure-key", anchors: ["sig="], form: /[?&;]sig=([A-Za-z0-9%+/]{30,}={0,2})/g },
  {
    kind: "azure-key",
    anchors: ["Q~"],
    form: new RegExp(String.raw`${START}[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}`, "g"),
  },
  {
    kind: "azure-key",
    anchors: ["JQQJ9", "AZDO"],
    form: new RegExp(
      `${START}[A-Za-z0-9]{40,76}(?:JQQJ9[A-Za-z0-9]{20,40}|AZDO[A-Za-z0-9]{4})(?![A-Za-z0-9])`,
      "g",
    ),
  },
  {
    kind: "authorization",
    anchors: ["uthorization", "UTHORIZATION"],
    form: /authorization\\{0,3}["'\]]{0,2}[ \t]{0,8}(?:=>|[:=,])[ \t]{0,8}\\{0,3}["'`]?(?:bearer|basic|token|digest|negotiate|apikey)[ \t]{1,4}([A-Za-z0-9._~+/=-]{6,})/gi,
    accepts: isNoWord,
  },
  {
    kind: "authorization",
    anchors: ["uthorization", "UTHORIZATION"],
    form: /authorization\\{0,3}["'\]]{0,2}[ \t]{0,8}(?:=>|[:=,])[ \t]{0,8}\\{0,3}["'`]?([A-Za-z0-9._~+/=-]{16,})/gi,
    accepts: hasDigit,
  },
  {
    kind: "authorization",
    anchors: ["earer ", "EARER "],
    form: /(?<![A-Za-z])bearer[ \t]{1,4}([A-Za-z0-9._~+/=-]{16,})/gi,
    accepts: hasDigit,
  },
  {
    kind: "url-password",
    anchors: ["://"],
    form: /:\/\/[^\s/:@?#"'`<>\\]{0,200}:([^\s/?"'`<>\\]{1,256})(?=@[^\s@])/g,
    accepts: (secret) => isLiteral(secret) && !/^(?:\d{1,5}|x-oauth-basic)$/.test(secret),
  },
  {
    // A token in the place of the user's name.
    kind: "url-password",
    anchors: ["://"],
    form: /:\/\/([A-Za-z0-9_-]{20,256})(?=(?::x-oauth-basic)?@[A-Za-z0-9])/g,
    accepts: hasDigit,
  },
  {
    kind: "command-password",
    anchors: [" -u ", " --user", " --auth", "sshpass"],
    form: /\b(?:(?:curl|wget|https?)\b[^\n|;]{0,300}?[ \t](?:-u|--user|--auth)[ =]["']?[^\s:"'@/]{1,100}:|sshpass[ \t]+-p[ \t]*["']?)([^\s"'`\\]{3,200})/g,
    accepts: isLiteral,
  },
];

/** The first of several that fit gives the kind. */
const PATTERNS: readonly Pattern[] = [...WORDS, ...SURROUNDED];

/** What has to be looked for in a text first. */
export const FORM_ANCHORS: readonly string[] = PATTERNS.flatMap(({ anchors }) => anchors);
