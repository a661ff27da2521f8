import { isAbortError } from "./abort.ts";
import { ToolError } from "./error.ts";
import { createRedactor, type Redactor } from "./redact.ts";
import { shorten } from "./truncate.ts";

/** Longest message of a tool's error, in characters: what Pi keeps of one in its record. */
const maxErrorMessage = 500;

/**
 * A business error for the model (contract B2): says what to do, in at most 500 characters, without control
 * characters and secrets. Throw it; never put an upstream body into it.
 */
export function refusal(message: string, options: { readonly redact?: Redactor } = {}): ToolError {
  const plain = message.slice(0, maxErrorMessage * 40).replace(/\s+/g, " ");
  return new ToolError("refused", sanitizeMessage(plain, options.redact ?? createRedactor()));
}

/** A text of at most `maxLength` characters: redacted, without control and bidirectional characters. */
export function sanitizeMessage(message: string, redact: Redactor, maxLength = maxErrorMessage): string {
  // Cut before the patterns run, generously, so that a huge message costs little and no token is cut in half.
  const clean = redact(message.slice(0, maxLength * 40))
    .replace(ansi, "")
    .replace(invisible, "")
    .trim();
  return shorten(clean === "" ? "The tool failed without a message." : clean, maxLength);
}

/** The error that leaves a tool: the same one when it is clean, else a copy without cause and secrets. */
export function sanitizeError(thrown: unknown, redact: Redactor): Error {
  const message = readMessage(thrown);
  if (isAbortError(thrown)) return thrown as Error;
  const clean = sanitizeMessage(message, redact, 4000);
  if (thrown instanceof Error && clean === message && thrown.cause === undefined) return thrown;
  const code: unknown = thrown instanceof Error && "code" in thrown ? thrown.code : undefined;
  const error = new Error(clean);
  if (thrown instanceof Error && typeof thrown.name === "string") error.name = thrown.name;
  return typeof code === "string" ? Object.assign(error, { code }) : error;
}

function readMessage(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "";
  }
}

// Colours and other terminal sequences: CSI, OSC and single-character escapes.
// oxlint-disable-next-line no-control-regex
const ansi =
  /\u001b(?:\[[0-9;?<=>]{0,64}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,1024}(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
// oxlint-disable-next-line no-control-regex
const invisible =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
