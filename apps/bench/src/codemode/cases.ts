export interface BenchCase {
  readonly name: string;
  readonly code: string;
  readonly expected: unknown;
}

export const CASES: readonly BenchCase[] = [
  { name: "trivial", code: "return 1", expected: 1 },
  { name: "one call", code: "return (await tools.noop({ i: 7 })).i", expected: 7 },
  {
    name: "1,000 sequential",
    code: "let s = 0; for (let i = 0; i < 1000; i++) s += (await tools.noop({ i })).i; return s",
    expected: 499_500,
  },
  {
    name: "1,000 parallel",
    code: "const all = []; for (let i = 0; i < 1000; i++) all.push(tools.noop({ i })); return (await Promise.all(all)).length",
    expected: 1_000,
  },
  {
    name: "primes < 300,000",
    code: "let c = 0; for (let n = 2; n < 300000; n++) { let p = true; for (let d = 2; d * d <= n; d++) if (n % d === 0) { p = false; break } if (p) c++ } return c",
    expected: 25_997,
  },
  {
    name: "sort 200,000",
    code: "const a = []; let x = 1; for (let i = 0; i < 200000; i++) { x = (x * 1103515245 + 12345) % 2147483648; a.push(x) } a.sort((p, q) => p - q); return a.length",
    expected: 200_000,
  },
  { name: "5 MB JSON", code: "return (await tools.rows({})).rows.length", expected: 34_000 },
  { name: "10 MB string", code: "return (await tools.text({})).length", expected: 10_000_000 },
];
