// Secrets in texts: each kind is found wherever it stands, nothing around it changes, and what only looks like one stays.

import { beforeAll, describe, expect, it } from "vitest";
import { loadRedactor, type Redactor } from "../../src/transform/redact.ts";
import { fc } from "../property.ts";
import { PRIVATE_KEY, SURROUNDED, WORDS } from "./secrets.ts";

let redactor: Redactor;
const fresh = async () => {
  redactor = await loadRedactor();
};
beforeAll(fresh);

const marked = (kind: string, number = 1) => `[redacted: ${kind} ${number}]`;

describe("a secret that is told by its form", () => {
  it.each(WORDS)("$kind: $secret", async ({ kind, secret }) => {
    await fresh();
    const mark = marked(kind);
    for (const [before, after] of [
      ["", ""],
      ["It is ", ". Keep it."],
      ['x = "', '";'],
      ["a\n", "\nb"],
      [`{"output":"first\\n`, `\\nlast"}`],
      ["\u001b[32m", "\u001b[0m"],
      ["https://example.com/?q=", "&x=1"],
      ["`", "`"],
      ["日本語", "日本語"],
    ] as const)
      expect(redactor.text(`${before}${secret}${after}`)).toBe(`${before}${mark}${after}`);
  });

  it.each(WORDS)("$kind, with what is not seen in it: $secret", async ({ kind, secret }) => {
    await fresh();
    expect(redactor.text(secret)).toBe(marked(kind));
    const [begin, end] = [secret.slice(0, 4), secret.slice(4)];
    for (const hidden of [
      "\u001b[m\u001b[K",
      "\u001b(B\u001b[m",
      "\u001b[38:2::255:0:0m",
      "\u001b]8;;x\u0007",
      "\u200b",
      "\u00ad",
      "\u206a",
      "\u{e0041}",
      "\u0000",
      "\ufeff",
    ]) {
      const text = redactor.text(`X=\u001b[01;31m${begin}${hidden}${end}\u001b[0m, and so on`);
      // The same secret has the same mark; what stands around it stays.
      expect(text).toBe(`X=\u001b[01;31m${marked(kind)}\u001b[0m, and so on`);
    }
  });

  it("ends where the cursor goes elsewhere", async () => {
    await fresh();
    for (const move of ["\r", "\u001b[2;1H", "\u001b[30G"])
      expect(redactor.text(`\u001b[1mpassword: hunter22${move}user: me`)).toBe(
        `\u001b[1mpassword: ${marked("password")}${move}user: me`,
      );
  });

  it("is found anywhere in a long text", () => {
    const filler = "The quick brown fox jumps over the lazy dog.\n".repeat(12_000);
    for (const { secret } of WORDS.slice(0, 12)) {
      const whole = `${filler}${secret}\n${filler}`;
      const now = redactor.text(whole);
      expect(now.slice(filler.length, -filler.length)).toMatch(/^\[redacted: [\w-]+ \d+\]\n$/);
    }
  });

  it("is found when it was cut", () => {
    for (const { secret } of WORDS.filter(({ kind }) => kind === "github-token" || kind === "openai-key"))
      expect(redactor.text(`${secret.slice(0, 34)}…`)).toMatch(/^\[redacted: [\w-]+ \d+\]…$/);
  });
});

describe("a secret that is told by its surroundings", () => {
  it.each(SURROUNDED)("$kind: $text", async ({ kind, secret, text }) => {
    await fresh();
    expect(redactor.text(text)).toBe(text.replace(secret, marked(kind)));
    expect(redactor.text(`before\n${text}\nafter`)).toBe(
      `before\n${text.replace(secret, marked(kind))}\nafter`,
    );
  });

  it("follows an access key without a name", async () => {
    await fresh();
    const pair = `AKIA${"IOSFODNN7EXAMPLE"},wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY`;
    expect(redactor.text(`me,${pair}\n`)).toBe(
      `me,${marked("aws-access-key")},${marked("aws-secret-key")}\n`,
    );
  });
});

describe("a private key", () => {
  const key = PRIVATE_KEY.join("\n");

  it.each([
    ["as it is", key, "\nafter"],
    ["with other line ends", PRIVATE_KEY.join("\r\n"), "\r\nafter"],
    ["in JSON", PRIVATE_KEY.join("\\n"), '\\n", "client": 1'],
    ["twice in JSON", PRIVATE_KEY.join("\\\\n"), '\\\\n\\"'],
    ["in a numbered listing", PRIVATE_KEY.join("\n     7→"), "\n     8→after"],
    ["in a diff", PRIVATE_KEY.join("\n+"), "\n+after"],
    ["without its end", PRIVATE_KEY.slice(0, 3).join("\n"), "\nand so on"],
    ["encrypted", [PRIVATE_KEY[0], "Proc-Type: 4,ENCRYPTED", "", ...PRIVATE_KEY.slice(1)].join("\n"), ""],
    ["of OpenSSH", key.replaceAll("RSA", "OPENSSH"), ""],
    ["of no kind", key.replaceAll("RSA ", ""), ""],
    ["of PGP", key.replaceAll("RSA ", "PGP ").replaceAll("KEY-----", "KEY BLOCK-----"), ""],
  ])("%s", async (_, text, after) => {
    await fresh();
    expect(redactor.text(`before ${text}${after}`)).toBe(`before ${marked("private-key")}${after}`);
  });

  it("of PuTTY", async () => {
    await fresh();
    const text = `Private-Lines: 2\n${PRIVATE_KEY.slice(1, 3).join("\n")}\nPrivate-MAC: 1`;
    expect(redactor.text(text)).toBe(`Private-Lines: 2${marked("private-key")}\nPrivate-MAC: 1`);
  });

  it("is not what only names one", () => {
    for (const text of [
      `if (text.startsWith("${PRIVATE_KEY[0]}")) return true;`,
      `${PRIVATE_KEY[0]}\n...\n${PRIVATE_KEY.at(-1)}`,
      key.replaceAll("PRIVATE", "PUBLIC"),
      key.replaceAll("RSA PRIVATE KEY", "CERTIFICATE"),
      `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI${"abcdefgh".repeat(5)} me@here`,
    ])
      expect(redactor.text(text)).toBe(text);
  });
});

describe("what is no secret stays", () => {
  it.each([
    "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "550e8400-e29b-41d4-a716-446655440000",
    "toolu_01A09q90qw90lq917835lq9 call_abcdefghijklmnopqrstuvwx",
    `data:image/png;base64,${Buffer.from(Array.from({ length: 30_000 }, (_, at) => (at * 7919) % 256)).toString("base64")}`,
    "password: string",
    "password?: string | undefined;",
    "token: String, secret: Option<String>",
    "const password = await prompt('Password: ');",
    "const token = getToken(config);",
    "this.apiKey = options.apiKey;",
    "apiKey: process.env.OPENAI_API_KEY,",
    "OPENAI_API_KEY=$OPENAI_API_KEY node x.js",
    "OPENAI_API_KEY=<your key>",
    "TOKEN=$" + "{TOKEN:-none}",
    "API_KEY=your-api-key-here",
    'password: "********"',
    "password = os.environ['PASSWORD']",
    "max_tokens: 4096, total_tokens=12345678",
    '"nextPageToken": "CAUQAA12345678"',
    "tokenizer: 'cl100k_base1', token_count: 12345678",
    "password_file=/run/secrets/db_password",
    "SECRET_FILE=/run/secrets/x1",
    "secretName: my-tls-secret-1",
    "token: token1, token: token2",
    "compass: north1234, bypass=12345678",
    "Enter your password: then press return",
    'password: "userPassword", secret = getAccessToken',
    "password: myDbPass, secret: jwtKeyId, const secret = useMyRef;",
    'const password = "swordfish"; passwordHash: bcryptHash',
    "Authorization: Bearer <token>",
    "Authorization: Bearer $" + "{token}",
    "Authorization: Bearer YOUR_TOKEN",
    "The bearer of this letter",
    "http://localhost:3000/@scope/package",
    "https://example.com:8443/a@b",
    "https://user:$" + "{PASSWORD}@example.com",
    "git@github.com:owner/repository.git",
    "ssh://git@example.com/a.git",
    "mailto:me@example.com",
    "risk-averse task-runner-with-a-long-name disk-1234567890abcdefghij",
    "sk-learn sk-button-primary-large-rounded-2",
    "ghp_short npm_config_registry_url hf_hub_download_cache_dir_path",
    "pk_live_aB3dE5fG7hI9jK1lM2nO4pQ6",
    "npm_package_json_1 glpat-example xoxb-your-token",
    "AKIA is how they begin; eyJ too, and AIza",
    "12:34:56 1700000000:Alive",
    "docker run --user 1000:1000 image",
    "curl -u $USER:$PASSWORD https://example.com",
    "[redacted: github-token 1]",
    "DB_PASSWORD=[redacted: password 1] and Bearer [redacted: jwt 2]",
  ])("%s", (text) => {
    expect(redactor.text(text)).toBe(text);
  });
});

describe("marks", () => {
  it("are the same for the same secret, whatever it is found as", async () => {
    await fresh();
    const [one, other] = WORDS.filter(({ kind }) => kind === "github-token").map(({ secret }) => secret);
    expect(redactor.text(`${one} ${other} ${one}`)).toBe(
      `${marked("github-token")} ${marked("github-token", 2)} ${marked("github-token")}`,
    );
    expect(redactor.text(`GITHUB_TOKEN=${other}`)).toBe(`GITHUB_TOKEN=${marked("github-token", 2)}`);
    expect(redactor.text("PASSWORD=hunter2")).toBe(`PASSWORD=${marked("password")}`);
    expect(redactor.text("https://me:hunter2@example.com")).toBe(
      `https://me:${marked("password")}@example.com`,
    );
  });

  it("cover all of what overlaps", async () => {
    await fresh();
    const { secret } = WORDS.find(({ kind }) => kind === "github-token") as { secret: string };
    expect(redactor.text(`MY_TOKEN=a1!${secret}~z9 x`)).toBe(`MY_TOKEN=${marked("github-token")} x`);
    await fresh();
    expect(redactor.text(`https://x-access-token:${secret}@github.com/a`)).toBe(
      `https://x-access-token:${marked("github-token")}@github.com/a`,
    );
  });

  it("are never taken for secrets", () => {
    const marks = ["[redacted: github-token 1]", "[redacted: password 12]", "[redacted: jwt]"];
    const before = "password= DB_PASSWORD= token:".split(" ");
    const around = [
      ...before,
      '"token": "',
      "://me:",
      "@host ",
      "Bearer ",
      "Authorization: Basic ",
      "curl -u me:",
      "\n",
      " ",
      '"',
      "--key ",
      "sk-",
      "eyJ",
    ];
    const pair = fc.tuple(fc.constantFrom(...around), fc.constantFrom(...marks));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 6 }), (pairs) => {
        const text = pairs.map((one) => one.join("")).join(" ");
        expect(redactor.text(text)).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it("are found in the order of the text by everybody who starts anew", async () => {
    const text = [...WORDS, ...SURROUNDED].map((one) => one.text).join("\n");
    await fresh();
    const first = redactor.text(text);
    await fresh();
    expect(redactor.text(text)).toBe(first);
  });
});

describe("a secret that its name gave away", () => {
  it("is found without it from then on, and in the same text", async () => {
    await fresh();
    const open = "The password is sw0rdf1sh-77.";
    expect(redactor.text(open)).toBe(open);
    expect(redactor.text("It is sw0rdf1sh-77:\nDB_PASSWORD=sw0rdf1sh-77")).toBe(
      `It is ${marked("password")}:\nDB_PASSWORD=${marked("password")}`,
    );
    expect(redactor.text(open)).toBe(`The password is ${marked("password")}.`);
    expect(redactor.value({ apiKey: "k3y-of-0nly-this" })).toEqual({ apiKey: marked("key") });
    expect(redactor.text("Use k3y-of-0nly-this.")).toBe(`Use ${marked("key")}.`);
  });

  it("is not found inside something longer, nor if it may be a word", async () => {
    await fresh();
    redactor.text("DB_PASSWORD=sw0rdf1sh77 PGPASSWORD=postgres ROOT_PASSWORD=hunter2");
    for (const text of ["xsw0rdf1sh77", "sw0rdf1sh778", "run postgres", "hunter2 is a word"])
      expect(redactor.text(text)).toBe(text);
  });
});

describe("a text", () => {
  it("cannot switch the search off", () => {
    const { secret } = WORDS.find(({ kind }) => kind === "groq-key") as { secret: string };
    const text = `// secretlint-disable\n${secret} // secretlint-disable-line\n`;
    expect(redactor.text(text)).not.toContain(secret);
  });

  it("of a million characters that begin like secrets is read in one go", () => {
    for (const begin of [
      "eyJ",
      "eyJ-",
      "sk-ant-",
      "xsk-ant-",
      "password",
      "key=",
      "://a:",
      `${PRIVATE_KEY[0]}`,
      "AKIA",
      "curl -u ",
    ])
      expect(redactor.text(begin.repeat(Math.ceil(1_000_000 / begin.length))).length).toBeGreaterThan(0);
  });

  it("of backslashes behind the beginning of a key is read in one go", () => {
    const took = (filler: string) => {
      const started = performance.now();
      redactor.text(`${PRIVATE_KEY[0]}\n${filler.repeat(39_000)}\n`.repeat(3));
      return performance.now() - started;
    };
    // A hundred times as long where each begins anew.
    expect(took("\\")).toBeLessThan(500 + 20 * took("-"));
  });
});

describe("a value", () => {
  it("is looked through to the bottom, names of fields included", async () => {
    await fresh();
    const { secret } = WORDS[2] as { secret: string };
    const value = { a: [{ b: `x ${secret}` }], [secret]: 1, n: 2, none: null, yes: true };
    expect(redactor.value(value)).toEqual({
      a: [{ b: `x ${marked("github-token")}` }],
      [marked("github-token")]: 1,
      n: 2,
      none: null,
      yes: true,
    });
  });

  it("under a telling name is hidden, if it looks like a secret", async () => {
    await fresh();
    const given = {
      env: { DB_PASSWORD: "hunter2!", OPENAI_API_KEY: "abcd1234efgh", PORT: "8080", TOKEN_PATH: "/a/b" },
      headers: { "x-api-key": "abcd1234efgh" },
      password: "string",
      tokens: "12345678a",
      tokenList: ["wxyz1234efgh"],
      secrets: ["wxyz5678efgh"],
    };
    expect(redactor.value(given)).toEqual({
      ...given,
      env: { ...given.env, DB_PASSWORD: marked("password"), OPENAI_API_KEY: marked("key") },
      headers: { "x-api-key": marked("key") },
    });
  });

  it("that is a word is hidden where it can be nothing but a password, with what is not seen in it too", async () => {
    await fresh();
    const given = [{ password: "swordfishing" }, { input: { dbPassword: "sword\u200bfishing" } }];
    const hidden = [{ password: marked("password") }, { input: { dbPassword: marked("password") } }];
    expect(redactor.value(given)).toEqual(hidden);
    const kept = {
      ...{ password: "string", token: "identifier", secret: "github-webhook", apiKey: "your-api-key" },
      ...{ credentials: "include", pass: "passed", pwd: "projects" },
    };
    expect(redactor.value(kept)).toEqual(kept);
  });

  it("without secrets is the same one", () => {
    const value = { a: [{ b: "nothing" }], c: "here" };
    expect(redactor.value(value)).toBe(value);
  });
});
