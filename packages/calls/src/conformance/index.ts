export type {
  ConformanceDriver,
  Control,
  Declaration,
  RootResult,
  ScenarioContext,
  ScenarioOutcome,
  ScenarioRun,
  ScenarioSetup,
} from "./driver.ts";
export { checkScenario, observe, type Mismatch, type ScenarioReport } from "./check.ts";
export { createHostDriver } from "./host-driver.ts";
export {
  scenarioTool,
  type Observation,
  type Scenario,
  type ScenarioBody,
  type ScenarioTools,
} from "./scenario.ts";
export { semantics } from "./scenarios-semantics.ts";
export { differences } from "./scenarios-differences.ts";
