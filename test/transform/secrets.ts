// Made-up secrets, one or more of each kind. They are put together here so that no scanner takes this file for a leak.
const letters = "aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW";
const random = (length: number) => letters.repeat(Math.ceil(length / letters.length)).slice(0, length);
const hex = (length: number) => "3b18e512dba79e4c8300dd08aeb37f8e728b8dad".repeat(4).slice(0, length);
const upper = (length: number) => random(length).toUpperCase();

export interface Secret {
  kind: string;
  secret: string;
  /** What it is found in; the secret alone where it is told by its own form. */
  text: string;
}

const alone = (kind: string, ...pieces: string[]): Secret => {
  const secret = pieces.join("");
  return { kind, secret, text: secret };
};
const inside = (kind: string, secret: string, before: string, after = ""): Secret => ({
  kind,
  secret,
  text: `${before}${secret}${after}`,
});

/** Told by their own form, whatever stands around them. */
export const WORDS: readonly Secret[] = [
  alone("aws-access-key", "AKIA", upper(16)),
  alone("aws-access-key", "ASIA", "IOSFODNN7EXAMPLE"),
  ...["ghp_", "gho_", "ghu_", "ghs_", "ghr_"].map((begin) => alone("github-token", begin, random(36))),
  alone("github-token", "github_pat_", random(22), "_", random(59)),
  alone("gitlab-token", "glpat-", random(20)),
  alone("gitlab-token", "glpat-", random(27), ".01.0w", random(7)),
  alone("slack-token", "xoxb", "-1234567890-1234567890123-", random(24)),
  alone("slack-token", "xoxp", "-1234567890-", hex(32)),
  alone("slack-token", "xoxe.", "xoxp-1-", random(40)),
  alone("slack-token", "xapp", "-1-A0123456789-1234567890123-", hex(64)),
  alone("stripe-key", "sk_", "live_", random(24)),
  alone("stripe-key", "rk_", "live_", random(99)),
  alone("stripe-key", "sk_", "test_", random(24)),
  alone("stripe-key", "whsec", "_", random(32)),
  alone("anthropic-key", "sk-", "ant-api03-", random(93), "AA"),
  alone("anthropic-key", "sk-", "ant-oat01-", random(40)),
  alone("openai-key", "sk-", random(20), "T3BlbkFJ", random(20)),
  alone("openai-key", "sk-", random(48)),
  alone("openai-key", "sk-", "proj-", random(80), "-_", random(40)),
  alone("openai-key", "sk-", "svcacct-", random(60)),
  alone("openai-key", "sk-", "admin-", random(60)),
  alone("openrouter-key", "sk-", "or-v1-", hex(64)),
  alone("google-api-key", "AIza", "Sy", random(33)),
  alone("google-oauth-token", "ya29", ".a0", random(60), "-_", random(40)),
  alone("google-oauth-token", "GOCSPX", "-", random(28)),
  alone("google-oauth-token", "1//", "0g", random(60)),
  alone("huggingface-token", "hf_", "abcdefghijklmnopqrstuvwxyzABCDEFGH"),
  alone("npm-token", "npm_", random(36)),
  alone("pypi-token", "pypi-", "AgEIcHlwaS5vcmc", random(100)),
  alone("jwt", "eyJ", "hbGciOiJIUzI1NiJ9", ".eyJ", "zdWIiOiIxMjM0In0", ".", random(43)),
  alone(
    "jwt",
    "eyJ",
    "hbGciOiJSU0EtT0FFUCJ9",
    ".",
    random(30),
    ".",
    random(16),
    ".",
    random(40),
    ".",
    random(22),
  ),
  alone("sendgrid-key", "SG.", random(22), ".", random(43)),
  alone("twilio-key", "SK", hex(32)),
  alone("telegram-token", "123456789", ":AAH", random(32)),
  alone("age-key", "AGE-SECRET", "-KEY-1", upper(58)),
  alone("azure-key", random(3), "8Q~", random(34)),
  alone("azure-key", random(52), "JQQJ99", random(26)),
  alone("service-token", "dop_", "v1_", hex(64)),
  alone("service-token", "r8_", random(37)),
  alone("service-token", "xai-", random(80)),
  // Known to the library only.
  alone("groq-key", "gsk_", random(52)),
  alone("databricks-key", "dapi", hex(32)),
  alone("docker-key", "dckr_", "pat_", random(27)),
  alone("figma-key", "figd_", random(43)),
  alone("grafana-key", "glsa_", random(32), "_", hex(8)),
  alone("hashicorp-vault-key", "hvs.", random(95)),
  alone("linear-key", "lin_", "api_", random(40)),
  alone("notion-key", "ntn_", "12345678901", random(35)),
  alone("shopify-key", "shpat_", hex(32)),
  alone("tailscale-key", "tskey-", "auth-", random(17), "-", random(32)),
  alone("vercel-key", "vcp_", random(56)),
  alone("cloudflare-key", "cfut_", random(40), hex(8)),
  alone("1password-key", "ops_", Buffer.from(JSON.stringify({ a: random(100), b: "" })).toString("base64")),
];

/** Told by what stands around them. */
export const SURROUNDED: readonly Secret[] = [
  inside(
    "aws-secret-key",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "aws_secret_access_key = ",
    "\nregion",
  ),
  inside("aws-secret-key", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", '"SecretAccessKey": "', '", "x": 1'),
  inside("slack-webhook", `T01ABCDEF/B01ABCDEF/${random(24)}`, "https://hooks.slack.com/services/", " x"),
  inside("discord-webhook", random(68), "https://discord.com/api/webhooks/123456789012345678/", " x"),
  inside("azure-key", `${random(86)}==`, "AccountName=a;AccountKey=", ";EndpointSuffix=core.windows.net"),
  inside("azure-key", `${random(43)}%3D`, "https://a.blob.core.windows.net/c?sv=2023&sig=", "&se=1"),
  inside("authorization", random(40), "Authorization: Bearer ", "\nAccept: */*"),
  inside("authorization", "dXNlcjpwYXNz", "authorization: Basic ", "\r\n"),
  inside("authorization", "cGFzc3dvcmQ6cGFzcw==", `{\\"Authorization\\": \\"Basic `, '\\"}'),
  inside("authorization", random(40), 'headers["Authorization"] = "', '"'),
  inside("authorization", random(24), "use bearer ", " for it"),
  inside("url-password", "hunter2", "https://me:", "@example.com/path"),
  inside("url-password", "p%40ss@w0rd", "postgres://app:", "@db:5432/main?sslmode=require"),
  inside("url-password", "s3cret", "redis://:", "@cache:6379/0"),
  inside("url-password", "s3cret", "mongodb+srv://app:", "@cluster0.mongodb.net"),
  inside("url-password", "s3cret", "jdbc:mysql://root:", "@db/main"),
  inside("url-password", hex(40), "git clone https://", "@github.com/a/b.git"),
  inside("url-password", hex(40), "https://", ":x-oauth-basic@github.com/a/b"),
  inside("command-password", "hunter2", "curl -s -u admin:", " https://example.com"),
  inside("command-password", "hunter2", "sshpass -p ", " ssh me@there"),
  inside("password", "hunter2", "DB_PASSWORD=", "\nDB_HOST=db"),
  inside("password", "correcthorse", "export PGPASSWORD=", "; psql"),
  inside("password", "hunter2", "Server=db;User Id=sa;Password=", ";Encrypt=true"),
  inside("password", "hunter2", "password: ", "\nuser: me"),
  inside("password", "hunter2!", 'const password: string = "', '";'),
  inside("password", "it's-4-me", 'db_pass = "', '"'),
  inside("password", "hunter22", "deploy --password ", " --force"),
  inside("password", "aHVudGVyMg==", "data:\n  password: ", "\n"),
  inside("password", "wWpsgOJEqh", '{"password":"', '"}'),
  inside("secret", "ZxCvBnMaSdFgHjKlQwEr", "client_secret=", "\n"),
  inside("secret", hex(64), "SECRET_KEY_BASE=", "\n"),
  inside("secret", random(32), '"client_secret":"', '","x":1'),
  inside("token", random(32), "GITHUB_TOKEN=", " npm publish"),
  inside("token", "550e8400-e29b-41d4-a716-446655440000", "//npm.example.com/:_authToken=", "\n"),
  inside("token", random(20), "auth_token: '", "',"),
  inside("token", random(20), "tool --token=", " run"),
  inside("key", hex(32), "OPENAI_API_KEY=", "\n"),
  inside("key", hex(32), '\\"apiKey\\": \\"', '\\",'),
  inside("key", random(24), "X-Api-Key: ", "\r\n"),
  inside("key", random(24), "?api_key=", "&page=2"),
];

const line = () => random(64);
export const PRIVATE_KEY = [
  `-----BEGIN RSA PRIVATE ${"KEY"}-----`,
  `MII${random(61)}`,
  line(),
  `${random(20)}==`,
  `-----END RSA PRIVATE ${"KEY"}-----`,
];
