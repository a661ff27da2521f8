// Reviews a change, and outlives the worker that began it.
const diff = await tools.collect_diff({});
await tools.note({ text: `files changed: ${diff.files.length}` });

const tests = await tools.failing_tests({});
const names = tests.files.flatMap((file: { names: string[] }) => file.names);
await tools.note({ text: `tests failing: ${names.length}` });

await tools.render_report({ text: "report" }); // in the middle of this one the worker is killed
await tools.note({ text: "the report is there" });

await tools.send_report({ text: "report" }); // a person is asked
return { changed: diff.files.length, failing: names };
