import { expect, test } from "vitest";
import { parseScriptSource } from "../../src/source/options-line.ts";

const OPTIONS = '// @options: {"max_output_tokens": 2000, "timeout_ms": 60000}';

test.each([
  ["return 1", "return 1", {}],
  [`${OPTIONS}\nreturn 1`, "\nreturn 1", { maxOutputTokens: 2000, timeoutMs: 60_000 }],
  [`  ${OPTIONS}\r\nreturn 1`, "\nreturn 1", { maxOutputTokens: 2000, timeoutMs: 60_000 }],
  ['// @options: {"max_output_tokens": 0}\nreturn 1', "\nreturn 1", { maxOutputTokens: 0 }],
  ['// @options:{"timeout_ms": 1}\nreturn 1', "\nreturn 1", { timeoutMs: 1 }],
  ["// @options: {}\nreturn 1", "\nreturn 1", {}],
  ["//@options: {}\nreturn 1", "//@options: {}\nreturn 1", {}],
])("the options line is taken off and line numbers stay: %s", (input, code, options) => {
  // contract D
  expect(parseScriptSource(input)).toEqual({ ok: true, code, options });
});

test("in a Markdown fence the options line is the first of the code", () => {
  // D6
  const input = `Run this:\n\n\`\`\`js\n${OPTIONS}\nreturn 1\n\`\`\`\n`;
  expect(parseScriptSource(input)).toEqual({
    ok: true,
    code: "Run this:\n\n```js\n\nreturn 1\n```\n",
    options: { maxOutputTokens: 2000, timeoutMs: 60_000 },
  });
  expect(parseScriptSource(`\`\`\`js\nreturn 1\n${OPTIONS}\n\`\`\``)).toMatchObject({ ok: false });
  expect(parseScriptSource(`\`\`\`js\n${OPTIONS}\n${OPTIONS}\nreturn 1\n\`\`\``)).toMatchObject({
    ok: false,
  });
});

test.each([
  ["", "Expected JavaScript source text (non-empty)."],
  ["  \n", "Expected JavaScript source text (non-empty)."],
  [`return 1\n${OPTIONS}`, "must be the first line of the input; found one on line 2"],
  [`${OPTIONS}\n${OPTIONS}\nreturn 1`, "found one on line 2"],
  [OPTIONS, "must be followed by JavaScript source on subsequent lines"],
  [`${OPTIONS}\n  \n`, "must be followed by JavaScript source on subsequent lines"],
  ["// @options:\nreturn 1", "must be a JSON object with supported fields"],
  ["// @options: []\nreturn 1", "must be a JSON object with supported fields"],
  ["// @options: null\nreturn 1", "must be a JSON object with supported fields"],
  ["// @options: {a}\nreturn 1", "must be valid JSON with supported fields"],
  ['// @options: {"max_tokens": 1}\nreturn 1', "got `max_tokens`"],
  ['// @options: {"max_output_tokens": -1}\nreturn 1', "must be a non-negative safe integer"],
  ['// @options: {"max_output_tokens": 1.5}\nreturn 1', "must be a non-negative safe integer"],
  ['// @options: {"max_output_tokens": "1"}\nreturn 1', "must be a non-negative safe integer"],
  ['// @options: {"timeout_ms": 0}\nreturn 1', "must be a positive integer up to 2147483647"],
  ['// @options: {"timeout_ms": 2147483648}\nreturn 1', "must be a positive integer up to 2147483647"],
])("wrong options are a failure before anything runs: %s", (input, message) => {
  const outcome = parseScriptSource(input);
  expect(outcome.ok ? "" : outcome.message).toContain(message);
});
