export { ConformanceError, type ConformanceCase, driverConformance } from "./driver-conformance.ts";
