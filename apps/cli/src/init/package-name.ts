/** What npm takes as a name, with or without a scope. */
const VALID = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

export function isPackageName(name: string): boolean {
  return name.length <= 214 && VALID.test(name);
}

/** A package name made of the name of a folder. */
export function packageNameOf(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9._~-]+/g, "-")
    .replace(/^[._-]+/, "")
    .replace(/-+$/, "");
  return name === "" ? "my-extension" : name;
}
