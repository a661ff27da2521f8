import type { JsonObject } from "@nestbox/tool";
import { describe, expect, it } from "vitest";

import { redact, redactText } from "../../src/gate/redact.ts";

const secret = "hunter2hunter2XyZ9";

// contract B10
describe("a secret in what ran is not on record", () => {
  it.each([
    `AWS_SECRET_ACCESS_KEY=${secret} aws s3 ls`,
    `export API_TOKEN='${secret}'; run`,
    `PGPASSWORD=${secret} psql`,
    `curl -u user:${secret} https://x`,
    `curl -fsSLu 'user:${secret}' https://x`,
    `curl --user=user:${secret} x`,
    `curl https://user:${secret}@host/p`,
    `curl -H 'Authorization: Bearer ${secret}' x`,
    `curl 'https://x/?api_key=${secret}&a=1'`,
    `curl -d '{"password":"${secret}"}' x`,
    `wget --http-password ${secret} x`,
    `psql postgres://u:${secret}@h/db`,
    `mysql -u root -p${secret} db`,
    `docker login -u me -p ${secret} registry`,
    `sshpass -p ${secret} ssh host`,
    `redis-cli -p 6379 -a ${secret} get x`,
    `openssl enc -aes-256-cbc -k ${secret}`,
    `openssl rsa -passin pass:${secret}`,
    `ssh-keygen -t rsa -N ${secret}`,
    `zip -P ${secret} a.zip b`,
    `npm config set //registry/:_authToken ${secret}`,
    `gh auth login --with-token <<< ${secret}`,
    `htpasswd -bB file user ${secret}`,
    `vault login ${secret}`,
    `cd x && sudo /usr/bin/curl -u u:${secret} y`,
  ])("%s", (command) => {
    expect(JSON.stringify(redact({ command }))).not.toContain(secret);
  });

  it.each<JsonObject>([
    { password: secret },
    { passwords: [secret] },
    { token: { value: secret } },
    { headers: { authorization: `Bearer ${secret}`, cookie: `sid=${secret}` } },
    { env: [{ name: "API_KEY", value: secret }] },
    { variables: [{ key: "DB_PASSWORD", value: { plain: secret } }] },
  ])("%j", (input) => {
    expect(JSON.stringify(redact(input))).not.toContain(secret);
  });

  it("and what is none stays to be read", () => {
    for (const text of [
      "git push -u origin main",
      "docker run -p 8080:80 x",
      "mysql -p db",
      "curl -X PUT --upload-file f x",
      "zip -r a b",
      "ls -p x && curl x; echo -u y",
    ])
      expect(redactText(text)).toBe(text);
    const input = { max_tokens: 5, usage: { tokens: 7 }, name: "token bucket", key: "src/a.ts", pass: true };
    expect(redact(input)).toEqual(input);
  });

  it("is looked for in a bounded time, whatever the text", () => {
    for (const text of [
      "curl ".repeat(20_000),
      `curl ${" -".repeat(40_000)}`,
      `docker login ${"a ".repeat(40_000)}`,
    ]) {
      const began = performance.now();
      redactText(text);
      expect(performance.now() - began).toBeLessThan(20_000);
    }
  });
});
