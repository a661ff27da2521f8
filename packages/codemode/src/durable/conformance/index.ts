export { type ConformanceCase, ConformanceError } from "../../conformance/driver-conformance.ts";
export { type CrashPlace, crashRun, type CrashRunOptions } from "./crash.ts";
export {
  durableConformance,
  type DurableConformanceOptions,
  type DurableView,
} from "./durable-conformance.ts";
