// Reviews the working tree of a project: its checks, its failing tests and its diff, at once.
interface Summary {
  typeErrors: number;
  failing: { path: string; names: string[] }[];
  changed: string[];
  denied: string;
}

const review = await describeNamespace("review");
console.log(`${review.name}: ${review.tools.length} tools`);

const [checks, tests, diff] = await Promise.all([
  tools.run_checks({}),
  tools.failing_tests({}),
  tools.collect_diff({}),
]);

// The same through ctx.executeTool: the whole outcome, where tools.<name> gives the data alone.
const outcome = await ctx.executeTool("collect_diff", {});
if (outcome.isError) throw new Error(outcome.result.content[0].text);
const { files } = outcome.result.structuredContent;

// The policy of the demo denies this one: everything that it would run has been run.
const denied: string = await tools.review_diff({}).then(
  () => "nothing",
  (error: Error) => error.message,
);

const summary: Summary = {
  typeErrors: checks.steps.filter(
    (step: { kind: string; ok: boolean }) => step.kind === "typecheck" && !step.ok,
  ).length,
  failing: tests.files.map((file: { path: string; names: string[] }) => ({
    path: file.path,
    names: file.names,
  })),
  changed: files.map((file: { path: string }) => file.path),
  denied,
};
if (files.length !== diff.files.length) throw new Error("two looks at one tree differ");
return summary;
