/**
 * A worker's metrics, by OpenTelemetry's own SDK and under its rules for names, in the text form of Prometheus. Nothing
 * is sent anywhere: they are read where somebody asks for them.
 */
import type { Histogram } from "@opentelemetry/api";
import { MeterProvider } from "@opentelemetry/sdk-metrics";
import { PrometheusExporter, PrometheusSerializer } from "@opentelemetry/exporter-prometheus";

import { oneLine } from "../report/safe-text.ts";
import type { PartEnd, WorkerEvent } from "./events.ts";

export interface WorkerMetrics {
  readonly onEvent: (event: WorkerEvent) => void;
  readonly text: () => Promise<string>;
  close(): Promise<void>;
}

export interface MetricsOptions {
  readonly version: string;
  readonly engine: string;
  readonly isolates: number;
  /** Names of the tools that there are: any other name is counted as `_OTHER`. */
  readonly tools: readonly string[];
  /** Whether the engine answers. */
  readonly engineAnswers: () => boolean;
  readonly ready: () => boolean;
}

/** Tools that have a name of their own in the metrics; the others are counted together. */
const MAX_TOOLS = 100;
const MAX_NAME_CHARS = 100;
const OTHER = "_OTHER";
/** Seconds. */
const CALL_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800];
const PART_BUCKETS = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1_800, 3_600, 14_400, 86_400];

export function createWorkerMetrics(options: MetricsOptions): WorkerMetrics {
  // Only its reader is used: who may ask, and how fast, is the health server's business.
  const reader = new PrometheusExporter({ preventServerStart: true });
  const serializer = new PrometheusSerializer("", false, undefined, true, true);
  const provider = new MeterProvider({ readers: [reader] });
  const meter = provider.getMeter("nestbox", options.version);
  const known = new Set(options.tools.slice(0, MAX_TOOLS));
  const toolOf = (name: string): string => (known.has(name) ? oneLine(name, MAX_NAME_CHARS) : OTHER);
  let active = 0;
  let used = 0;

  const seconds = (name: string, description: string, bounds: number[]): Histogram =>
    meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: bounds } });
  const begun = meter.createCounter("nestbox.run.begun", {
    description: "Runs that this worker began or took up again",
    unit: "{run}",
  });
  const ended = meter.createCounter("nestbox.run.let_go", {
    description: "Runs that this worker let go of, by how: ended, parked, halted, released",
    unit: "{run}",
  });
  const partDuration = seconds(
    "nestbox.run.part.duration",
    "From when a run was begun or taken up here to when it was let go of",
    PART_BUCKETS,
  );
  const waits = seconds(
    "nestbox.isolate.wait.duration",
    "How long a run waited for an isolate",
    CALL_BUCKETS,
  );
  const calls = meter.createCounter("nestbox.tool.calls", {
    description: "Calls of tools, those that tools made included, by outcome",
    unit: "{call}",
  });
  const callDuration = seconds("nestbox.tool.call.duration", "How long a tool ran", CALL_BUCKETS);
  const decisions = meter.createCounter("nestbox.policy.decisions", {
    description: "What the policy said of calls: allow, ask (the run waits for a person) or deny",
    unit: "{decision}",
  });
  const gauge = (name: string, description: string, unit: string, value: () => number): void => {
    meter.createObservableGauge(name, { description, unit }).addCallback((result) => result.observe(value()));
  };
  gauge("nestbox.run.active", "Runs that this worker carries on now", "{run}", () => active);
  gauge("nestbox.isolate.usage", "Isolates in which a script runs now", "{isolate}", () => used);
  gauge("nestbox.isolate.limit", "Isolates that there may be", "{isolate}", () => options.isolates);
  gauge("nestbox.engine.reachable", "1 while the engine answers", "", () => Number(options.engineAnswers()));
  gauge("nestbox.worker.ready", "1 while the worker is ready", "", () => Number(options.ready()));
  meter
    .createObservableGauge("nestbox.worker.info", { description: "Always 1" })
    .addCallback((result) =>
      result.observe(1, { "nestbox.version": options.version, "nestbox.engine": options.engine }),
    );

  return {
    onEvent(event) {
      switch (event.type) {
        case "run.begun":
          active++;
          begun.add(1, { "nestbox.run.resumed": event.resumed });
          break;
        case "run.let-go": {
          const { end, durationMs } = event;
          ended.add(1, endAttributes(end));
          if (durationMs === undefined) break;
          active--;
          partDuration.record(durationMs / 1_000, { "nestbox.run.end": end.kind });
          break;
        }
        case "isolate.taken":
          used++;
          waits.record(event.waitedMs / 1_000);
          break;
        case "isolate.free":
          used--;
          break;
        case "call.ended": {
          const tool = toolOf(event.toolName);
          calls.add(1, { "nestbox.tool.name": tool, "nestbox.call.outcome": event.outcome });
          if (event.durationMs !== undefined)
            callDuration.record(event.durationMs / 1_000, { "nestbox.tool.name": tool });
          break;
        }
        case "decision":
          decisions.add(1, { "nestbox.decision.effect": event.effect });
          break;
      }
    },
    async text() {
      const { resourceMetrics } = await reader.collect();
      return serializer.serialize(resourceMetrics);
    },
    close: () => provider.shutdown(),
  };
}

function endAttributes(end: PartEnd): Readonly<Record<string, string>> {
  const detail = end.kind === "ended" ? end.outcome : end.kind === "halted" ? end.why : undefined;
  return {
    "nestbox.run.end": end.kind,
    ...(detail === undefined ? {} : { "nestbox.run.outcome": detail }),
  };
}
