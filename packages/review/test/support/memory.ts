/** What a piece of work returns, and how far the resident memory of this process rose above what it was before. */
export async function withPeakMemory<TValue>(
  work: () => Promise<TValue>,
): Promise<{ readonly value: TValue; readonly growthBytes: number }> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = (): void => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const watch = setInterval(look, 10);
  try {
    const value = await work();
    look();
    return { value, growthBytes: peak - before };
  } finally {
    clearInterval(watch);
  }
}
