export { ConformanceError, type ConformanceCase } from "../../conformance/driver-conformance.ts";
