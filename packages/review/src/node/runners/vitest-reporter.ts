/**
 * A reporter for vitest 3 and later that writes what its `json` reporter leaves out: expected, actual and the line
 * of each error. It is written to a temporary file, because vitest loads a reporter by path.
 */
export const vitestReporterSource = `import { writeFileSync } from "node:fs";

const text = (value) => (value === undefined || value === null ? undefined : String(value).slice(0, 10000));
// Since vitest 4 the places are there as data; before, the stack is text.
const places = (error) => (error.stacks ?? []).map(
  (at) => "    at " + (at.method || "<anonymous>") + " (" + at.file + ":" + at.line + ":" + at.column + ")",
);
const headline = (error) => String(error.name ?? "Error") + ": " + String(error.message);
const stackOf = (error) =>
  places(error).length > 0 ? [headline(error), ...places(error)].join("\\n") : (error.stack ?? headline(error));
const failure = (error) => ({
  stack: text(stackOf(error)),
  expected: text(error.expected),
  actual: text(error.actual),
});

export default class {
  onTestRunEnd(modules, unhandled) {
    const testResults = [];
    for (const module of modules) {
      const assertionResults = [];
      for (const test of module.children.allTests()) {
        const result = test.result();
        const titles = [];
        for (let at = test.parent; at && at.type === "suite"; at = at.parent) titles.unshift(at.name);
        const errors = (result.errors ?? []).map(failure);
        assertionResults.push({
          ancestorTitles: titles,
          title: test.name,
          status: result.state,
          failureMessages: errors.map((error) => error.stack),
          failureDetails: errors.map(({ expected, actual }) => ({ expected, actual })),
          location: test.location,
        });
      }
      const own = [...module.errors()];
      for (const suite of module.children.allSuites()) own.push(...suite.errors());
      for (const error of own.map(failure)) {
        assertionResults.push({
          ancestorTitles: [], title: "(file)", status: "failed", load: true, failureMessages: [error.stack], failureDetails: [],
        });
      }
      testResults.push({ name: module.moduleId, status: module.state(), assertionResults });
    }
    const unhandledErrors = unhandled.map((error) => failure(error).stack);
    writeFileSync(process.env.NESTBOX_VITEST_REPORT, JSON.stringify({ testResults, unhandledErrors }));
  }
}
`;
