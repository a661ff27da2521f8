/** One kind of secret. */
export interface RedactionRule {
  /** Stands in the replacement: `[redacted: github-token]`. */
  readonly kind: string;
  /**
   * Global. Its named group `secret` is what is replaced (nothing, where the group took no part in the match), or the
   * whole match without such a group. Keep it linear: no repetition inside a repetition, and a bound on every run
   * before a fixed part.
   */
  readonly pattern: RegExp;
  /** Also takes what only looks like a secret: for a record, not for a text that somebody works with. */
  readonly eager?: boolean;
}

/**
 * The token kinds that are common enough to be recognised by shape alone, in the order in which they are looked for.
 * Every pattern begins with a fixed text and repeats one class, so that time grows with the length of the text and no
 * faster.
 */
export const secretRules: readonly RedactionRule[] = [
  {
    kind: "private-key",
    // The end is optional: a block that was cut off is as secret as a whole one.
    pattern:
      /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=\s\\:,.-]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|(?![A-Za-z0-9+/=\s\\:,.-]))/g,
  },
  { kind: "github-token", pattern: /\b(?:gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255})/g },
  { kind: "gitlab-token", pattern: /\bgl(?:pat|dt|rt|cbt|ptt|ft|soat)-[A-Za-z0-9_-]{20,255}/g },
  { kind: "aws-key-id", pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g },
  {
    kind: "aws-secret",
    pattern:
      /\baws_?(?:secret_?access_?key|session_?token)["']?\s{0,8}[:=]\s{0,8}["']?(?<secret>[A-Za-z0-9+/=]{16,2048})/gi,
  },
  { kind: "slack-token", pattern: /\bxox[abeoprs]-[A-Za-z0-9-]{10,255}/g },
  {
    kind: "slack-webhook",
    pattern: /\bhooks\.slack\.com\/(?:services|workflows)\/(?<secret>[A-Za-z0-9/_-]{20,255})/g,
  },
  { kind: "npm-token", pattern: /\bnpm_[A-Za-z0-9]{30,255}/g },
  {
    kind: "npm-token",
    pattern: /\b_(?:authToken|auth|password)\s{0,8}=\s{0,8}["']?(?<secret>[^\s"']{6,2048})/g,
  },
  { kind: "pypi-token", pattern: /\bpypi-[A-Za-z0-9_-]{30,2048}/g },
  { kind: "api-key", pattern: /\bsk-[A-Za-z0-9_-]{20,512}/g },
  { kind: "api-key", pattern: /\b[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}/g },
  { kind: "google-key", pattern: /\bAIza[A-Za-z0-9_-]{35}/g },
  { kind: "google-token", pattern: /\bya29\.[A-Za-z0-9_-]{20,2048}/g },
  { kind: "huggingface-token", pattern: /\bhf_[A-Za-z0-9]{30,255}/g },
  { kind: "sendgrid-key", pattern: /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/g },
  { kind: "age-key", pattern: /\bAGE-SECRET-KEY-1[A-Z0-9]{40,80}/g },
  {
    // Docker, DigitalOcean, Shopify, Grafana, Linear, Notion, Vault, Groq, xAI, Replicate, Supabase, Figma, Doppler.
    kind: "service-token",
    pattern:
      /\b(?:dckr_pat_|do[oprt]_v1_|shp(?:at|ca|pa|ss)_|gl(?:sa|c)_|lin_(?:api|oauth)_|ntn_|hv[sbr]\.|gsk_|xai-|r8_|sbp_|figd_|dp\.(?:pt|st|ct|sa)\.)[A-Za-z0-9_-]{24,512}/g,
  },
  {
    kind: "connection-key",
    pattern: /\b(?:AccountKey|SharedAccessKey)=(?<secret>[A-Za-z0-9+/=]{16,512})/g,
  },
  {
    kind: "jwt",
    pattern: /\beyJ[A-Za-z0-9_-]{8,1024}\.eyJ[A-Za-z0-9_-]{4,16384}(?:\.[A-Za-z0-9_-]{0,8192})?/g,
  },
  {
    kind: "authorization",
    pattern:
      /\b(?:proxy-)?authorization["']?\s{0,8}[:=]\s{0,8}["']?(?:(?:bearer|basic|token|digest|negotiate|apikey)\s{1,8})?(?<secret>[^\s"',;]{4,8192})/gi,
  },
  { kind: "bearer", pattern: /\bbearer\s{1,8}(?<secret>[A-Za-z0-9._~+/=-]{16,8192})/gi },
  {
    kind: "header",
    pattern:
      /\b(?:x-api-key|api-key|x-auth-token|x-access-token|x-csrf-token|private-token|cookie|set-cookie)["']?\s{0,8}:\s{0,8}["']?(?<secret>[^\r\n"']{4,8192})/gi,
  },
  {
    kind: "url-credentials",
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?<secret>[^\s/?#@:"'<>]{0,1024}(?::[^\s/?#@"'<>]{0,1024})?)@/gi,
  },
  {
    kind: "assigned-secret",
    pattern:
      /(?:password|passwd|secret|api_?key|access_?token|auth_?token|private_?key|client_?secret)["']?\s{0,8}[:=]\s{0,8}["']?(?:[\w.]{1,200}\(|(?<secret>[^\s"',;{}[\]()<>]{8,2048}))/gi,
  },
  { kind: "api-key", eager: true, pattern: /\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,512}/g },
  {
    kind: "token",
    eager: true,
    pattern: /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|AIza)[A-Za-z0-9_-]{10,512}/g,
  },
  {
    // A third part and no claims, as encrypted ones have.
    kind: "jwt",
    eager: true,
    pattern: /\beyJ[A-Za-z0-9_-]{8,2048}\.[A-Za-z0-9_-]{8,16384}\.[A-Za-z0-9_-]{0,8192}/g,
  },
  {
    kind: "bearer",
    eager: true,
    pattern: /\b(?:bearer|basic|token)\s{1,8}(?<secret>[A-Za-z0-9._~+/=-]{8,8192})/gi,
  },
  {
    kind: "url-credentials",
    eager: true,
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/(?<secret>[^\s/@:]{0,200}:[^\s/@]{1,200})@/gi,
  },
  {
    kind: "assigned-secret",
    eager: true,
    pattern:
      /\b[A-Za-z0-9_]{0,60}(?:password|passwd|passphrase|secret|token|api_?key|access_?key|private_?key|credentials?)[A-Za-z0-9_]{0,20}\s{0,4}[=:]\s{0,4}(?<secret>"[^"]{1,4000}"|'[^']{1,4000}'|[^\s"';&|]{1,4000})/gi,
  },
  {
    kind: "option",
    eager: true,
    pattern:
      /--?(?:password|passwd|passphrase|token|secret|api-key|access-key|auth|client-secret)(?:=|\s{1,4})(?!--[a-z])(?<secret>"[^"]{1,4000}"|'[^']{1,4000}'|[^\s"';&|]{1,4000})/gi,
  },
];

/** Whether a key of an object is named like one whose value is a secret: `apiKey`, `session_id`, `db.password`. */
export function isSecretKey(name: string): boolean {
  return secretKey.test(name);
}

const secretKey =
  /(?:^|[_.-])(?:pass(?:word|wd|phrase)?|secret|token|auth|authorization|api[_-]?key|apikey|private[_-]?key|access[_-]?key|credentials?|cookie|session[_-]?id)(?:$|[_.-])|(?:password|passphrase|secret|token|apikey|privatekey|accesskey)$/i;
