/** The files of `nestbox init`, one folder up from the source and from the build alike. */
export const templateFolder = new URL("../template/", import.meta.url);
