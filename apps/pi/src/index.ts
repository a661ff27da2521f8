import { createNestbox } from "./nestbox.ts";

export { createNestbox, type NestboxOptions } from "./nestbox.ts";

/** The extension that Pi loads. */
export default createNestbox();
