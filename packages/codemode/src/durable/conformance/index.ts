export { type ConformanceCase, ConformanceError } from "../../conformance/driver-conformance.ts";
export type { DurableView } from "./cases.ts";
export { type CrashPlace, crashRun, type CrashRunOptions } from "./crash.ts";
export { durableConformance, type DurableConformanceOptions } from "./durable-conformance.ts";
export { fakeTools, type FakeTools, type FakeToolsOptions } from "./fake-tools.ts";
