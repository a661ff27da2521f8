import { homedir } from "node:os";
import { join } from "node:path";
import { createRedactor, isSecretKey, redactForRecord, redactJson } from "@nestbox/tool";
import { createHostRedactor } from "@nestbox/tool/node";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitizeMessage } from "../src/sanitize.ts";
import { secretRules } from "../src/secret-rules.ts";

const redact = createRedactor({ homes: ["/root", "/srv/people/ann"], values: ["correct horse"] });
const letters = "AbCdEf0123456789";
const long = (length: number) => letters.repeat(Math.ceil(length / 16)).slice(0, length);

describe("redaction", () => {
  // contract B10
  it.each([
    ["GitHub", `ghp_${long(36)}`],
    ["GitHub, fine-grained", `github_pat_${long(22)}_${long(59)}`],
    ["GitHub, server", `ghs_${long(36)}`],
    ["GitLab", `glpat-${long(20)}`],
    ["AWS key id", `AKIA${long(16).toUpperCase()}`],
    ["AWS secret", `aws_secret_access_key = ${long(40)}`],
    ["AWS secret in JSON", `"AWS_SECRET_ACCESS_KEY": "${long(40)}"`],
    ["Slack", `xoxb-${long(12)}-${long(24)}`],
    ["Slack webhook", `https://hooks.slack.com/services/T0000/B0000/${long(24)}`],
    ["npm", `npm_${long(36)}`],
    ["npmrc", `//registry.test/:_authToken=${long(20)}`],
    ["PyPI", `pypi-${long(80)}`],
    ["OpenAI", `sk-proj-${long(48)}`],
    ["Anthropic", `sk-ant-api03-${long(90)}`],
    ["Stripe", `sk_live_${long(24)}`],
    ["Google", `AIza${long(35)}`],
    ["Google OAuth", `ya29.${long(60)}`],
    ["Hugging Face", `hf_${long(34)}`],
    ["JWT", `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${long(43)}`],
    ["SendGrid", `SG.${long(22)}.${long(43)}`],
    ["age", `AGE-SECRET-KEY-1${long(58).toUpperCase()}`],
    ["Docker", `dckr_pat_${long(27)}`],
    ["DigitalOcean", `dop_v1_${long(64)}`],
    ["Shopify", `shpat_${long(32)}`],
    ["Grafana", `glsa_${long(32)}`],
    ["Linear", `lin_api_${long(40)}`],
    ["Vault", `hvs.${long(90)}`],
    ["Doppler", `dp.st.${long(40)}`],
    ["Azure storage", `AccountName=x;AccountKey=${long(86)}==;EndpointSuffix=y`],
    ["bearer header", `Authorization: Bearer ${long(30)}`],
    ["basic header", `authorization: Basic ${long(16)}==`],
    ["header in JSON", `{"Authorization": "token ${long(20)}"}`],
    ["bearer alone", `curl -H 'bearer ${long(24)}'`],
    ["API key header", `X-Api-Key: ${long(12)}`],
    ["cookie", `Set-Cookie: session=${long(24)}; HttpOnly`],
    ["URL credentials", `https://ann:${long(12)}@git.test/x.git`],
    ["URL token", `https://${long(30)}@git.test/x.git`],
    ["database URL", `postgres://app:p%40${long(10)}@db.test:5432/x`],
    ["assignment", `DB_PASSWORD="${long(12)}"`],
    ["assignment in YAML", `client_secret: ${long(20)}`],
    ["own value", "the correct horse battery"],
  ])("takes out %s", (_name, text) => {
    const out = redact(`before ${text} after`);
    expect(out).toContain("[redacted: ");
    expect(out).not.toMatch(/AbCdEf012345678|correct horse/i);
    expect(out).toMatch(/^before /);
    // Applied twice, it says the same.
    expect(redact(out)).toBe(out);
  });

  it("takes out a value in the spelling of JSON and of an address, too", () => {
    const value = 'two\nlines "and" a\\b @ é';
    const known = createRedactor({ values: [value, "lone \ud800 half"] });
    expect(known(`<${value}>`)).toBe("<[redacted: value]>");
    expect(known(JSON.stringify({ value }))).toBe('{"value":"[redacted: value]"}');
    expect(known(`https://x.test/?v=${encodeURIComponent(value)}&w=1`)).toBe(
      "https://x.test/?v=[redacted: value]&w=1",
    );
  });

  it("takes out private keys, whole and cut off", () => {
    const key = `-----BEGIN OPENSSH PRIVATE KEY-----\n${`${long(70)}\n`.repeat(20)}-----END OPENSSH PRIVATE KEY-----`;
    expect(redact(`a\n${key}\nb`)).toBe("a\n[redacted: private-key]\nb");
    expect(redact(`a\n${key.slice(0, 400)}`)).toBe("a\n[redacted: private-key]");
    expect(
      redact(
        `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${long(70)}\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----.`,
      ),
    ).toBe("[redacted: private-key].");
  });

  it.each([
    ["/root/.ssh/config", "~/.ssh/config"],
    ["/srv/people/ann/work and /srv/people/anna", "~/work and /srv/people/anna"],
    ["open('/home/bob/x.ts')", "open('~/x.ts')"],
    ["/Users/Carol Smith", "~ Smith"],
    ["C:\\Users\\dave\\x", "~\\x"],
    ["file:///home/eve/a", "file:///home/eve/a".replace("/home/eve", "~")],
    [
      "/rootless /var/root src/root/x.ts ~/root ./root a-/root",
      "/rootless /var/root src/root/x.ts ~/root ./root a-/root",
    ],
    ["at (/root/x.ts:1) PATH=/bin:/root/bin file:///root/a", "at (~/x.ts:1) PATH=/bin:~/bin file://~/a"],
    ["cc -I/root/include '-L/home/bob/lib' src/home/bob/x", "cc -I~/include '-L~/lib' src/home/bob/x"],
  ])("turns home folders into ~: %s", (text, expected) => {
    expect(redact(text)).toBe(expected);
  });

  it.each([
    "The quick brown fox",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "const password = readPassword();",
    "tokenizer: fast, secretary: Ann",
    "sk-short and npm_install",
    "https://git.test/a/b@1.2.3?x=1",
    "git@github.com:owner/repo.git",
    "http://localhost:3000/@scope/pkg",
    "import { x } from '@scope/authorization'",
    "AKIA is four letters",
  ])("leaves alone: %s", (text) => {
    expect(redact(text)).toBe(text);
  });

  it("takes patterns of one's own, with and without a named group", () => {
    const own = createRedactor({
      rules: [
        { kind: "ticket", pattern: /TICKET-\d+/g },
        { kind: "pin", pattern: /pin (?<secret>\d{4})/g },
      ],
    });
    expect(own("TICKET-42 has pin 1234.")).toBe("[redacted: ticket] has pin [redacted: pin].");
  });

  it("reaches every string of a JSON value, keys included, and keeps its shape", () => {
    const token = `ghp_${long(36)}`;
    expect(redactJson({ [token]: [token, 1, null, { a: `x ${token}` }], __proto__: "x" }, redact)).toEqual({
      "[redacted: github-token]": ["[redacted: github-token]", 1, null, { a: "x [redacted: github-token]" }],
    });
  });

  it("takes time that grows with the text and no faster", () => {
    // The starts of every pattern, repeated so that each is tried as often as possible and never completes.
    const traps = [
      "-----BEGIN PRIVATE KEY-----",
      "-----BEGIN A B C ",
      "eyJaaaaaaaa-",
      "eyJ",
      "a://b:",
      "a://",
      "a.",
      "authorization: ",
      "authorization:",
      "bearer ",
      "password=",
      "password",
      "aws_secret_access_key ",
      "--token ",
      "a_token_",
      'TOKEN="',
      "x-api-key:",
      "sk-",
      "ghp_a-",
      "xoxb-",
      "/home/",
      "C:\\Users\\",
      "_authToken = ",
      "-",
      " ",
      "\n",
    ];
    for (const trap of traps) {
      const text = trap.repeat(Math.ceil(400_000 / trap.length));
      const started = process.threadCpuUsage();
      redact(text);
      redactForRecord(text);
      expect([trap, process.threadCpuUsage(started).user / 1_000 < 20_000]).toEqual([trap, true]);
    }
  }, 600_000);

  it("never throws and never makes a text that cannot be read", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => typeof redact(text) === "string"),
    );
    expect(secretRules.every(({ pattern }) => pattern.global)).toBe(true);
  });
});

describe("redaction for a record", () => {
  // contract B10
  it.each([
    ["a short key", `sk_${long(16)}`],
    ["a publishable key", `pk_live_${long(16)}`],
    ["a short token", `ghp_${long(12)}`],
    ["an encrypted JWT", `eyJhbGciOiJkaXIi.${long(40)}.${long(40)}`],
    ["basic alone", `curl -H 'Basic ${long(12)}'`],
    ["a token with more behind it", `Authorization: Bearer ${long(12)}!${long(12)}`],
    ["URL credentials with a mark", `https://ann:#${long(12)}@git.test/x.git`],
    ["a short assignment", "API_KEY=AbC"],
    ["a quoted assignment with spaces", `password = "${long(12)} AbC AbC"`],
    ["an assignment with a comma", `TOKEN=${long(12)},${long(12)}`],
    ["an option", "login --token AbC"],
    ["an option after one without a value", "login --auth --token AbC"],
    ["an option with =", "login --password='AbC AbC'"],
    [
      "a key in an assignment",
      `PRIVATE_KEY=-----BEGIN PRIVATE KEY-----\n${long(60)}\n-----END PRIVATE KEY-----`,
    ],
    ["what a text for work has taken out", `DB_PASSWORD="${long(12)}"`],
  ])("takes out %s", (_name, text) => {
    const out = redactForRecord(`before ${text} after`);
    expect(out).toContain("[redacted]");
    expect(out).not.toContain("AbC");
    expect(out).toMatch(/^before .*after$/s);
  });

  it("leaves paths and the rest of a command", () => {
    const text = "git -C /home/ann/work commit -m 'tokens are counted' src/token.ts";
    expect(redactForRecord(text)).toBe(text);
    expect(redactForRecord("login --token x && rm -rf y; z")).toBe("login --token [redacted] && rm -rf y; z");
    // What follows a mention of a key's first line stays on record.
    expect(redactForRecord('grep "-----BEGIN PRIVATE KEY-----" x; rm -rf y')).toContain('" x; rm -rf y');
  });

  it("knows keys that are named like a secret", () => {
    const secret = ["apiKey", "password", "db.password", "auth", "accessToken", "session_id", "X-Api-Key"];
    expect(secret.filter((name) => !isSecretKey(name))).toEqual([]);
    expect(["author", "path", "tokens", "keyboard", "passage", "url"].filter(isSecretKey)).toEqual([]);
  });
});

describe("redaction on this machine", () => {
  it("takes out the values of secret environment variables, and this user's home", () => {
    const here = createHostRedactor({
      env: {
        HOME: "/data/people/zoe",
        DEPLOY_TOKEN: "plain-looking-words",
        AUTH_FILE: "/etc/auth.json",
        USE_AUTH: "true",
        PASSWORD: "short",
        EDITOR: "a-long-editor-name",
        GIT_AUTHOR_NAME: "Zoe Longname",
        NEXTAUTH_URL: "http://localhost:3000",
        PROXY_AUTHORIZATION: "proxy-words-here",
      },
      rules: [{ kind: "own", pattern: /own-\d+/g }],
    });
    expect(here("with plain-looking-words in /data/people/zoe/x and own-1")).toBe(
      "with [redacted: value] in ~/x and [redacted: own]",
    );
    const plain = "/etc/auth.json true short a-long-editor-name Zoe Longname http://localhost:3000";
    expect(here(plain)).toBe(plain);
    expect(here("proxy-words-here")).toBe("[redacted: value]");
    expect(createHostRedactor()(join(homedir(), "x"))).toBe("~/x");
  });
});

describe("a message for the model", () => {
  it("has no control, colour, title or direction characters, and a length", () => {
    const text = "a\u001b[31mred\u001b[0m \u001b]0;title\u0007b\u0000c\u202ed\u2066e\u2028f\r\ng";
    expect(sanitizeMessage(text, redact)).toBe("ared bcdef\ng");
    expect(sanitizeMessage("", redact)).toBe("The tool failed without a message.");
    expect(sanitizeMessage("😀".repeat(1000), redact, 10)).toBe(`${"😀".repeat(4)}…`);
    // A token at the very edge of what is read is not let through as a half.
    expect(sanitizeMessage(`${"x".repeat(495)} ghp_${long(36)}`, redact)).not.toContain("ghp_");
  });
});
