import { isRecord, isStringArray } from "../shared/guards.ts";
import { describeValue } from "./describe-value.ts";

const IMAGE_SHAPE = '{ type: "image", data: <base64>, mimeType }';
const CLASSIFIER_SHAPE = `{ state: { ... }, images?: [${IMAGE_SHAPE}], questions: { <id>: { type: "choice", instructions, criteria: { <label>: <meaning> } } | { type: "score", instructions, criteria: [<lowest level>, ..., <highest level>] } | { type: "bool", instructions, criteria: { true: <meaning>, false: <meaning> } } } }`;
const IMAGES_SHAPE = `{ input: [{ type: "text", text: <prompt> }, ...optional ${IMAGE_SHAPE} references] }`;

/** Where a script's author can read more; the end of a message. */
export interface ContextHelp {
  /** Path of the reference of the `models` global. */
  readonly docsPath?: string | undefined;
}

function see(section: string, help: ContextHelp): string {
  return help.docsPath === undefined ? "" : ` See "${section}" in ${help.docsPath}.`;
}

function isImageBlock(value: unknown): boolean {
  return (
    isRecord(value) &&
    value["type"] === "image" &&
    typeof value["data"] === "string" &&
    typeof value["mimeType"] === "string"
  );
}

/** What is wrong with the context of `models.classify()`; undefined when nothing is. */
export function classifierContextFault(context: unknown, help: ContextHelp = {}): string | undefined {
  const problem = classifierProblem(context);
  if (problem === undefined) return undefined;
  return `models.classify() ${problem}. Expected context: ${CLASSIFIER_SHAPE}.${see("Classify", help)}`;
}

function classifierProblem(context: unknown): string | undefined {
  if (!isRecord(context))
    return `expects a context object as its second argument, got ${describeValue(context)}`;
  const { state, images, questions } = context;
  if (!isRecord(state)) return `context.state must be an object, got ${describeValue(state)}`;
  if (images !== undefined) {
    if (!Array.isArray(images)) return `context.images must be an array, got ${describeValue(images)}`;
    const wrong = images.findIndex((image) => !isImageBlock(image));
    if (wrong !== -1)
      return `context.images[${wrong}] must be an image block, got ${describeValue(images[wrong])}`;
  }
  if (!isRecord(questions) || Object.keys(questions).length === 0) {
    return `context.questions must map question IDs to questions, got ${describeValue(questions)}`;
  }
  for (const [id, question] of Object.entries(questions)) {
    const fault = questionProblem(`context.questions.${id}`, question);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function questionProblem(at: string, question: unknown): string | undefined {
  if (!isRecord(question)) return `${at} must be a question object, got ${describeValue(question)}`;
  const { type, instructions, criteria } = question;
  if (typeof instructions !== "string") return `${at}.instructions must be a string`;
  switch (type) {
    case "choice":
      return isRecord(criteria) && isNonEmpty(Object.values(criteria))
        ? undefined
        : `${at} is a "choice" question, so criteria must map each label to its meaning`;
    case "score":
      return Array.isArray(criteria) && isNonEmpty(criteria)
        ? undefined
        : `${at} is a "score" question, so criteria must list the levels as strings, lowest first`;
    case "bool":
      return isRecord(criteria) && isStringArray([criteria["true"], criteria["false"]])
        ? undefined
        : `${at} is a "bool" question, so criteria must be { true: string, false: string }`;
    default:
      return `${at}.type must be "choice", "score", or "bool", got ${JSON.stringify(type)}`;
  }
}

function isNonEmpty(values: readonly unknown[]): boolean {
  return values.length > 0 && isStringArray(values);
}

/** What is wrong with the context of `models.generateImages()`; undefined when nothing is. */
export function imagesContextFault(context: unknown, help: ContextHelp = {}): string | undefined {
  const problem = imagesProblem(context);
  if (problem === undefined) return undefined;
  return `models.generateImages() ${problem}. Expected context: ${IMAGES_SHAPE}.${see("Generate images", help)}`;
}

function imagesProblem(context: unknown): string | undefined {
  if (!isRecord(context))
    return `expects a context object as its second argument, got ${describeValue(context)}`;
  const { input } = context;
  if (!Array.isArray(input) || input.length === 0) {
    return `context.input must be a non-empty array of blocks, got ${describeValue(input)}`;
  }
  const wrong = input.findIndex((block) => !isTextBlock(block) && !isImageBlock(block));
  return wrong === -1
    ? undefined
    : `context.input[${wrong}] must be a text or image block, got ${describeValue(input[wrong])}`;
}

function isTextBlock(value: unknown): boolean {
  return isRecord(value) && value["type"] === "text" && typeof value["text"] === "string";
}
