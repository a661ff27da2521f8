import { availableParallelism, cpus } from "node:os";

/** One thing to time. `run` does it once. */
export interface Subject {
  readonly name: string;
  run(): unknown;
}

export interface Row {
  readonly name: string;
  /** Milliseconds of one `run`. */
  readonly min: number;
  readonly median: number;
  readonly max: number;
  /** Median of the ratios to the first subject, round by round. */
  readonly ratio: number;
}

/**
 * Times subjects in turn, round by round, so that whatever else the machine does hits all of them. `warmUp` rounds are
 * not counted; each round repeats a subject `inner` times.
 */
export async function measure(
  subjects: readonly Subject[],
  { rounds = 20, warmUp = 3, inner = 1 } = {},
): Promise<readonly Row[]> {
  const times = new Map<string, number[]>(subjects.map(({ name }) => [name, []]));
  for (let round = -warmUp; round < rounds; round++) {
    for (const subject of subjects) {
      const startedAt = performance.now();
      for (let turn = 0; turn < inner; turn++) await subject.run();
      const each = (performance.now() - startedAt) / inner;
      if (round >= 0) times.get(subject.name)?.push(each);
    }
  }
  const first = times.get(subjects[0]?.name ?? "") ?? [];
  return subjects.map(({ name }) => {
    const own = times.get(name) ?? [];
    return {
      name,
      min: Math.min(...own),
      median: median(own),
      max: Math.max(...own),
      ratio: median(own.map((time, round) => time / (first[round] ?? Number.NaN))),
    };
  });
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

export function machine(): string {
  return `${process.platform} ${process.arch}, ${availableParallelism()} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.versions.node}`;
}

/** A table in fixed columns; times in the unit that fits. */
export function table(title: string, rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.name,
    time(row.min),
    time(row.median),
    time(row.max),
    row.ratio.toFixed(2),
  ]);
  const all = [[title, "min", "median", "max", "ratio"], ...cells];
  const widths = (all[0] ?? []).map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join("  "),
    )
    .join("\n");
}

function time(ms: number): string {
  if (ms < 1) return `${(ms * 1000).toFixed(1)} µs`;
  return ms < 1000 ? `${ms.toFixed(1)} ms` : `${(ms / 1000).toFixed(2)} s`;
}
