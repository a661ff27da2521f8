import { readFileSync } from "node:fs";

/** Where a file of the template comes from and where it goes; a package would lose or run some of these names. */
export interface TemplateFile {
  readonly path: string;
  readonly text: string;
}

export type TemplateValues = Readonly<Record<"name" | "policyVersion" | "toolVersion", string>>;

const PATHS = [
  ["package.json", "package.json.tpl"],
  ["tsconfig.json", "tsconfig.json.tpl"],
  [".gitignore", "gitignore.tpl"],
  ["README.md", "README.md.tpl"],
  ["policy.jsonc", "policy.jsonc.tpl"],
  ["src/count-todos.ts", "src/count-todos.ts.tpl"],
  ["src/extension.ts", "src/extension.ts.tpl"],
  ["test/extension.test.ts", "test/extension.test.ts.tpl"],
] as const;

/** The files of a new package, with `{{…}}` filled in. */
export function fillTemplate(folder: URL, values: TemplateValues): readonly TemplateFile[] {
  return PATHS.map(([path, source]) => ({
    path,
    text: readFileSync(new URL(source, folder), "utf8").replaceAll(/\{\{(\w+)\}\}/g, (all, key: string) =>
      Object.hasOwn(values, key) ? values[key as keyof TemplateValues] : all,
    ),
  }));
}
