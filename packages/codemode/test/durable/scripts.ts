/** Scripts whose every repetition must give the same bytes: all that a script can take from time, chance and order. */
export const SCRIPTS: readonly (readonly [title: string, code: string])[] = [
  ["random numbers", "return Array.from({ length: 50 }, () => Math.random())"],
  [
    "a shuffle",
    "const a = [...Array(40).keys()]; for (let i = 39; i > 0; i--) { const j = Math.floor(Math.random() * (i + 1)); [a[i], a[j]] = [a[j], a[i]] } return a",
  ],
  ["identifiers", "return [crypto.randomUUID(), crypto.randomUUID()]"],
  ["random bytes", "return [...crypto.getRandomValues(new Uint8Array(64))]"],
  ["a random sort", "return Array.from({ length: 30 }, (_, i) => i).sort(() => Math.random() - 0.5)"],
  [
    "chance between calls",
    "const a = []; for (let i = 0; i < 4; i++) { a.push(Math.random(), (await tools.work({ i })).i) } return a",
  ],
  [
    "a branch by chance",
    "return Math.random() < 0.5 ? await tools.work({ i: 1 }) : await tools.other({ i: 2 })",
  ],
  [
    "the time",
    "return [Date.now(), new Date().toISOString(), Date(), performance.now(), performance.timeOrigin]",
  ],
  [
    "time that passes",
    "const t = []; for (let i = 0; i < 4; i++) { await tools.work({ i }); t.push(Date.now(), performance.now()) } return t",
  ],
  [
    "time in text",
    "text('at ' + new Date().toLocaleString()); await tools.work({ i: 1 }); text('at ' + new Date().toLocaleTimeString())",
  ],
  [
    "local dates",
    "const d = new Date(2026, 6, 1, 12); return [String(d), d.getTimezoneOffset(), d.toLocaleDateString('de-DE', { weekday: 'long' })]",
  ],
  [
    "Temporal",
    "return typeof Temporal === 'undefined' ? null : [String(Temporal.Now.instant()), String(Temporal.Now.plainDateTimeISO()), Temporal.Now.timeZoneId(), String(Temporal.Now.plainDateISO('Asia/Tokyo'))]",
  ],
  [
    "Intl without arguments",
    "return [new Intl.DateTimeFormat().format(), new Intl.DateTimeFormat('ja', { timeStyle: 'full' }).format(), new Intl.DateTimeFormat().formatToParts(), Intl.DateTimeFormat().resolvedOptions().timeZone, new Intl.NumberFormat().resolvedOptions().locale]",
  ],
  [
    "Intl of numbers and lists",
    "return [(1234567.891).toLocaleString(), new Intl.ListFormat().format(['a', 'b']), new Intl.PluralRules('ar').select(3), new Intl.RelativeTimeFormat().format(-2, 'day')]",
  ],
  ["collation", "return ['ä', 'z', 'a', 'Z', 'é', 'e'].sort((a, b) => a.localeCompare(b))"],
  [
    "segments",
    "return [...new Intl.Segmenter('th', { granularity: 'word' }).segment('สวัสดีครับ')].map((s) => s.segment)",
  ],
  [
    "date arithmetic",
    "const d = new Date(); d.setMonth(d.getMonth() + 1); return d.toISOString().slice(0, 7) + Math.floor(d / 864e5)",
  ],
  ["a timer", "const t = Date.now(); await new Promise((r) => setTimeout(r, 8)); return Date.now() - t"],
  [
    "timers in order",
    "const seen = []; const at = (ms) => new Promise((r) => setTimeout(() => { seen.push(ms, performance.now()); r() }, ms)); await Promise.all([9, 3, 6, 3].map(at)); return seen",
  ],
  [
    "an interval",
    "const seen = []; await new Promise((r) => { const id = setInterval(() => { seen.push(Date.now()); if (seen.length === 4) { clearInterval(id); r() } }, 3) }); return seen",
  ],
  [
    "setImmediate and microtasks",
    "const seen = []; await new Promise((r) => { setImmediate(() => { seen.push('immediate'); r() }); queueMicrotask(() => seen.push('micro')); Promise.resolve().then(() => seen.push('then')); seen.push('now') }); return seen",
  ],
  [
    "a timer against a call",
    "return await Promise.race([tools.work({ ms: 6 }).then(() => 'call'), new Promise((r) => setTimeout(r, 6, 'timer'))])",
  ],
  [
    "timers against calls",
    "const seen = []; await Promise.all([2, 4, 6, 8].flatMap((ms) => [tools.work({ ms }).then(() => seen.push('call ' + ms)), new Promise((r) => setTimeout(() => { seen.push('timer ' + ms); r() }, ms))])); return seen",
  ],
  [
    "a call with a limit of its own",
    "const late = new Promise((_, no) => setTimeout(() => no(new Error('late')), 3)); try { return await Promise.race([tools.work({ ms: 30 }), late]) } catch (error) { return error.message }",
  ],
  [
    "AbortSignal.timeout",
    "const s = AbortSignal.timeout(4); await new Promise((r) => s.addEventListener('abort', r)); return [s.aborted, s.reason.name, performance.now()]",
  ],
  [
    "a cleared timer",
    "const id = setTimeout(() => text('never'), 2); clearTimeout(id); await tools.work({ ms: 5 }); return 'done'",
  ],
  ["console.time", "console.time('a'); await tools.work({ ms: 3 }); console.timeEnd('a')"],
  ["race", "return await Promise.race([1, 2, 3, 4].map((i) => tools.work({ i })))"],
  ["any", "return await Promise.any([tools.fail({ i: 1 }), tools.work({ i: 2 }), tools.work({ i: 3 })])"],
  [
    "any of failures",
    "try { await Promise.any([tools.fail({ i: 1 }), tools.fail({ i: 2 })]) } catch (error) { return [error.name, error.errors.map((e) => e.message)] }",
  ],
  [
    "allSettled",
    "return (await Promise.allSettled([tools.work({ i: 1 }), tools.fail({ i: 2 }), tools.work({ i: 3 })])).map((r) => r.status)",
  ],
  [
    "all, with the order of arrival",
    "const seen = []; await Promise.all([1, 2, 3, 4, 5, 6].map((i) => tools.work({ i }).then(() => seen.push(i)))); return seen",
  ],
  [
    "a pool of workers",
    "const queue = [...Array(12).keys()], done = []; await Promise.all([1, 2, 3].map(async (w) => { while (queue.length) { const i = queue.shift(); await tools.work({ i }); done.push([w, i]) } })); return done",
  ],
  [
    "calls that depend on arrival",
    "const first = await Promise.race(['a', 'b', 'c'].map((name) => tools.work({ name }))); return await tools.other({ after: first.name })",
  ],
  [
    "calls made by what arrives",
    "const out = []; await Promise.all(['a', 'b', 'c'].map(async (x) => { const r = await tools.work({ x }); out.push((await tools.other({ from: r.x, place: out.length })).place) })); return out",
  ],
  [
    "an event emitter of arrivals",
    "const t = new EventTarget(), seen = []; t.addEventListener('x', (e) => seen.push(e.detail, e.timeStamp)); await Promise.all([1, 2, 3].map((i) => tools.work({ i }).then(() => t.dispatchEvent(new CustomEvent('x', { detail: i }))))); return seen",
  ],
  [
    "for await",
    "async function* g() { for (let i = 0; i < 4; i++) yield (await tools.work({ i })).i } const out = []; for await (const x of g()) out.push(x); return out",
  ],
  [
    "generators",
    "function* fib() { let [a, b] = [0, 1]; for (;;) { yield a; [a, b] = [b, a + b] } } const out = []; for (const x of fib()) { if (x > 500) break; out.push(x) } return out",
  ],
  [
    "Array.fromAsync",
    "return await Array.fromAsync([3, 1, 2].map((i) => tools.work({ i }).then((r) => r.i)))",
  ],
  [
    "stable sort",
    "return Array.from({ length: 300 }, (_, i) => ({ k: (i * 7) % 5, i })).sort((a, b) => a.k - b.k).map((x) => x.i)",
  ],
  [
    "order of Map and Set",
    "const m = new Map(), s = new Set(); await Promise.all([5, 3, 1, 4].map(async (i) => { await tools.work({ i }); m.set(i, m.size); s.add(i) })); return { m, s }",
  ],
  [
    "order of keys",
    "const o = {}; for (const k of ['b', '2', 'a', '1', Symbol('x')]) o[k] = 1; return [Object.keys(o), JSON.stringify(o)]",
  ],
  [
    "an object filled by arrival",
    "const o = {}; await Promise.all(['x', 'y', 'z'].map(async (k) => { await tools.work({ k }); o[k] = Object.keys(o).length })); return o",
  ],
  [
    "a thrown error with its stack",
    "function inner() {\n  throw new RangeError('too far');\n}\nfunction outer() {\n  inner();\n}\nouter();",
  ],
  [
    "an error across an await",
    "async function f() {\n  await tools.work({ i: 1 });\n  null.x;\n}\nawait f();",
  ],
  [
    "a caught stack",
    "try { [].reduce((a) => a) } catch (error) { console.log(error.stack); return error.stack }",
  ],
  [
    "a tool's error with data",
    "try { await tools.fail({ i: 7 }) } catch (error) { return [error.name, error.message, error.code, error.data, error.stack] }",
  ],
  ["an uncaught tool's error", "await tools.work({ i: 1 });\nawait tools.fail({ i: 2 });"],
  ["a source that cannot be read", "const = 1"],
  ["a promise that nothing settles", "await tools.work({ i: 1 });\nawait new Promise(() => {})"],
  ["an unhandled rejection", "Promise.reject(new Error('nobody')); await tools.work({ i: 1 }); return 1"],
  ["a tool that is none", "return [await ctx.executeTool('nowhere', {}), (await tools.work({ i: 1 })).i]"],
  [
    "outcomes as they are",
    "const a = await ctx.executeTool('work', { i: 1 }); const b = await ctx.executeTool('fail', { i: 2 }); return [a.isError, a.result.structuredContent, b.isError, b.result.content, Object.keys(a)]",
  ],
  [
    "console of all kinds",
    "console.log('a', { b: [1, new Map([[1, 2]])] }); console.error(new Error('e').message); console.table([{ x: 1 }]); console.warn('%s is %d', 'x', 4); await tools.work({ i: 1 }); console.info([undefined, null, NaN])",
  ],
  ["text between calls", "for (let i = 0; i < 5; i++) { text('line ' + i); await tools.work({ i }) }"],
  [
    "the store",
    "const n = (load('n') ?? 0) + 1; store('n', n); store('seen', { at: Date.now(), r: Math.random() }); await tools.work({ i: n }); return [n, load('first')]",
  ],
  [
    "host functions",
    "const [a, b] = await Promise.all([host.double(4), host.double(5)]); try { await host.broken() } catch (error) { return [a, b, error.name, error.message] }",
  ],
  [
    "host functions and tools at once",
    "const seen = []; await Promise.all([host.double(1).then(() => seen.push('host')), tools.work({ i: 1 }).then(() => seen.push('tool')), host.double(2).then(() => seen.push('host 2'))]); return seen",
  ],
  [
    "bytes",
    "const r = await tools.bytes({ n: 5 }); return [r.data instanceof Uint8Array, [...r.data], r.nested[0].more.length]",
  ],
  [
    "values that JSON loses",
    "return { d: new Date(), m: new Map([['a', new Set([1])]]), e: new TypeError('t'), r: /x/g, u: undefined, n: NaN }",
  ],
  [
    "no forbidden globals",
    "return ['WeakRef', 'FinalizationRegistry', 'SharedArrayBuffer', 'Atomics', 'WebAssembly'].map((name) => typeof globalThis[name])",
  ],
  [
    "digests",
    "return [...new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode('x' + Math.random())))].slice(0, 8)",
  ],
  [
    "floating point",
    "return [Math.sin(1e10), Math.exp(1.5), 0.1 + 0.2, Math.pow(1.1, 100), Math.hypot(3, 4.5), Math.fround(1 / 3)]",
  ],
  [
    "replaced built-ins",
    "Math.random = () => 4; Date.now = () => 5; Array.prototype.map = () => [6]; await tools.work({ i: 1 }); return [Math.random(), Date.now(), [1].map((x) => x)]",
  ],
  [
    "a call that nobody awaits",
    "tools.work({ ms: 40 }).catch(() => {}); await tools.work({ i: 1 }); return 'done'",
  ],
  ["a trailing expression", "const n = await tools.work({ i: 3 }); n.i * Math.random()"],
  [
    "TypeScript",
    "interface R { i: number } const r = (await tools.work({ i: 3 })) as R; const x: number = r.i; return x",
  ],
  ["exit", "text('before'); await tools.work({ i: 1 }); exit(); text('after')"],
];
