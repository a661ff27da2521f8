/** A worker that the tests start and kill. */
import { testWorker, type TestWorkerOptions } from "./test-worker.ts";

const worker = await testWorker(JSON.parse(process.argv[2] ?? "") as TestWorkerOptions);
process.stdout.write(`${worker.url}\n`);
process.on("SIGTERM", () => void worker.close().then(() => process.exit(0)));
// It does not outlive the test.
process.stdin.on("end", () => process.exit(1)).resume();
