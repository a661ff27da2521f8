import {
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  mkdirSync,
  readdirSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { shorten, truncateText } from "@nestbox/tool";
import {
  commandText,
  createOutputCollector,
  modelText,
  openOutputFolder,
  runCommand,
} from "@nestbox/tool/node";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createByteWindow } from "../src/byte-window.ts";
import { measure } from "../src/truncate.ts";

const wild = fc.string({
  unit: fc.constantFrom("a", "é", "€", "😀", "\n", "\n", "\r\n", "\u200d", "\ufeff"),
  maxLength: 400,
});

describe("a text that is cut", () => {
  // contract A12
  it("is within both limits, marker included, and what is kept stands unchanged at its ends", () => {
    fc.assert(
      fc.property(
        wild,
        fc.integer({ min: 120, max: 600 }),
        fc.integer({ min: 1, max: 60 }),
        fc.constantFrom("ends", "head", "tail" as const),
        (text, maxBytes, maxLines, keep) => {
          const cut = truncateText(text, { maxBytes, maxLines, keep: keep as "ends" });
          expect(cut.totalBytes).toBe(Buffer.byteLength(text));
          expect(Buffer.byteLength(cut.text)).toBeLessThanOrEqual(
            Math.max(maxBytes, cut.truncated ? 0 : maxBytes),
          );
          expect(measure(cut.text).lines).toBeLessThanOrEqual(maxLines);
          const [head = "", tail = ""] = cut.text.split(/\[… \d+ bytes in \d+ lines? omitted …\]\n?/u);
          expect(
            cut.truncated
              ? text.startsWith(head.replace(/\n$/, "")) && text.endsWith(tail)
              : cut.text === text,
          ).toBe(true);
          // Whole characters: nothing that was not there before.
          expect(cut.text.includes("\ufffd")).toBe(false);
          expect(cut.text.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 3000 },
    );
  });

  it("keeps whole lines when it has them, and says how much is gone and where it is", () => {
    const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}`);
    const { text } = truncateText(lines.join("\n"), { maxBytes: 200, fullOutputPath: "/tmp/full.log" });
    const kept = text.split("\n");
    expect(kept[0]).toBe("line 0");
    expect(kept.at(-1)).toBe("line 999");
    expect(kept.filter((line) => !lines.includes(line))).toEqual([
      expect.stringMatching(/^\[… \d+ bytes in \d+ lines omitted; complete output: \/tmp\/full\.log …\]$/),
    ]);
    const [, bytes, count] = /(\d+) bytes in (\d+)/.exec(text) ?? [];
    const left = kept.filter((line) => lines.includes(line));
    expect(Number(count)).toBe(1000 - left.length);
    expect(Number(bytes)).toBe(lines.join("\n").length - left.join("\n").length);
  });

  it("is cut by lines too, and one enormous line is cut by characters", () => {
    expect(truncateText("\n".repeat(3000)).truncated).toBe(true);
    expect(truncateText("x\n".repeat(2000)).truncated).toBe(false);
    const { text } = truncateText("😀".repeat(100_000), { maxBytes: 1000 });
    expect(text).toMatch(/^(?:😀){50,}\n\[….*…\]\n(?:😀){50,}$/u);
    expect(truncateText("abc", { maxBytes: 0 }).text).toContain("omitted");
  });

  it("keeps the ends of one enormous line between short ones, and no rest of a short line", () => {
    const enormous = `head\n${"é".repeat(500_000)}\ntail\n`;
    for (const keep of ["ends", "head", "tail"] as const) {
      const { text } = truncateText(enormous, { keep });
      expect(Buffer.byteLength(text)).toBeGreaterThan(50 * 1024 - 100);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50 * 1024);
      expect(text.startsWith("head\né")).toBe(keep !== "tail");
      expect(text.endsWith("é\ntail\n")).toBe(keep !== "head");
    }
    const lines = `src/a-file-with-a-name.ts(1,2): error\n`.repeat(5000);
    const whole = truncateText(lines)
      .text.split("\n")
      .filter((line) => !line.includes("omitted"));
    expect(new Set(whole)).toEqual(new Set(["src/a-file-with-a-name.ts(1,2): error", ""]));
  });

  it.each([
    ["bytes", "x".repeat(51_200), "x"],
    ["bytes of characters of several bytes", "é".repeat(25_600), "y"],
    ["bytes in lines with CRLF", "12345678\r\n".repeat(1000) + "x".repeat(41_200), "x"],
    ["lines", "x\n".repeat(2000), "x"],
    ["lines with CRLF", "x\r\n".repeat(2000), "x"],
    ["lines without a line feed at the end", `${"x\n".repeat(1999)}x`, "\nx"],
  ])("is whole with exactly as many %s as there may be, and cut with one more", (_what, text, more) => {
    expect(truncateText(text)).toMatchObject({ text, truncated: false });
    expect(truncateText(text + more)).toMatchObject({
      text: expect.stringContaining("omitted"),
      truncated: true,
    });
  });

  it("of gigantic length is read in linear time", () => {
    const started = process.threadCpuUsage();
    truncateText("y".repeat(20_000_000));
    truncateText("y\n".repeat(10_000_000), { keep: "tail" });
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(60_000);
  }, 120_000);

  it("on one line is shortened without half a character", () => {
    expect(shorten("abc", 3)).toBe("abc");
    expect(shorten("abcd", 3)).toBe("ab…");
    expect(shorten("a😀b", 3)).toBe("a…");
  });
});

describe("a window over a stream of bytes", () => {
  it("keeps everything up to its size, and then head and tail, however the chunks fall", () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 30 }),
        fc.integer({ min: 0, max: 100 }),
        (chunks, max) => {
          const window = createByteWindow(max);
          for (const chunk of chunks) window.write(chunk);
          const all = Buffer.concat(chunks);
          const { head, tail, totalBytes, totalLines, omittedBytes } = window.read();
          expect(totalBytes).toBe(all.length);
          expect(totalLines).toBe(all.filter((byte) => byte === 10).length);
          expect(omittedBytes).toBe(Math.max(0, all.length - max));
          const first = all.length <= max ? all : all.subarray(0, Math.ceil(max / 2));
          const last = all.length <= max ? Buffer.of() : all.subarray(all.length - Math.floor(max / 2));
          expect([Buffer.from(head), Buffer.from(tail)]).toEqual([first, last]);
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe("a complete output", () => {
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), "nestbox-output-test-"));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it("of a text is kept in a private file that the text names", async () => {
    const outputFolder = await openOutputFolder({ root });
    const text = "line\n".repeat(50_000);
    const cut = await modelText(text, { outputFolder });
    expect(cut.truncated).toBe(true);
    expect(cut.text).toContain(`complete output: ${cut.fullOutputPath}`);
    expect(readFileSync(cut.fullOutputPath ?? "", "utf8")).toBe(text);
    expect(statSync(cut.fullOutputPath ?? "").mode & 0o077).toBe(0);
    expect(await modelText("short", { outputFolder })).toEqual({
      text: "short",
      truncated: false,
      totalBytes: 5,
      totalLines: 1,
    });
  });

  it("of a command is one file, counted from everything that was printed", async () => {
    const outputFolder = await openOutputFolder({ root });
    const script = 'process.stdout.write("0123456789\\n".repeat(200_000))';
    const result = await runCommand(process.execPath, ["-e", script], { cwd: root, outputFolder });
    const { text, fullOutputPath } = await commandText(result, { outputFolder });
    expect(fullOutputPath).toBe(result.fullOutputPath);
    expect(readdirSync(outputFolder.path)).toHaveLength(1);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50 * 1024);
    const kept = text.split("\n").filter((line) => line === "0123456789").length * 11;
    expect(text).toContain(`[… ${2_200_000 - kept} bytes omitted; complete output: ${fullOutputPath} …]`);
  });

  // contract A12
  it("of a command is in memory up to 1 MiB, and then its first and last 512 KiB, whatever its lines", async () => {
    const outputFolder = await openOutputFolder({ root });
    const print = async (script: string) =>
      runCommand(process.execPath, ["-e", `process.stdout.write(${script})`], { cwd: root, outputFolder });
    const exact = await print('"a\\n" + "é".repeat(524_286) + "\\nz"');
    expect(exact).toMatchObject({ truncated: false, totalBytes: 1024 * 1024 });
    expect(exact.stdout).toBe(`a\n${"é".repeat(524_286)}\nz`);
    const cut = await print('"a\\n" + "é".repeat(524_287) + "\\nz"');
    expect(cut).toMatchObject({ truncated: true, totalBytes: 1024 * 1024 + 2 });
    for (const text of [cut.stdout, cut.output]) {
      const [head = "", tail = ""] = text.split(/\n\[… \d+ bytes in \d+ lines? omitted[^\n]*\]\n/u);
      expect(head).toBe(`a\n${"é".repeat(262_143)}`);
      expect(tail).toBe(`${"é".repeat(262_143)}\nz`);
    }
    expect(readFileSync(cut.fullOutputPath ?? "", "utf8")).toBe(`a\n${"é".repeat(524_287)}\nz`);
    const lines = await print('"0123456789\\n".repeat(200_000)');
    const kept = lines.output.split("\n");
    expect(new Set(kept.filter((line) => !line.includes("omitted")))).toEqual(new Set(["0123456789", ""]));
    expect(lines.output.length).toBeGreaterThan(1024 * 1024 - 50);
  }, 120_000);

  it("that cannot be stored is still cut, and no file is named", async () => {
    const outputFolder = await openOutputFolder({ root });
    rmSync(outputFolder.path, { recursive: true });
    const text = await modelText("x\n".repeat(100_000), { outputFolder });
    expect(text.fullOutputPath).toBeUndefined();
    expect(text.text).toMatch(/omitted …\]/);
    const collector = createOutputCollector({ maxBytes: 100, folder: outputFolder });
    for (let index = 0; index < 50; index += 1) await collector.write(Buffer.from("0123456789\n"));
    expect(await collector.finish()).toMatchObject({
      truncated: true,
      totalBytes: 550,
      fullOutputIncomplete: true,
    });
  });

  it("of two streams that write at once is stored in the order of their chunks", async () => {
    const collector = createOutputCollector({ maxBytes: 1000, folder: await openOutputFolder({ root }) });
    const lines = Array.from({ length: 5000 }, (_, index) => `${index}\n`);
    await Promise.all(lines.map((line) => collector.write(Buffer.from(line))));
    const { fullOutputPath } = await collector.finish();
    expect(readFileSync(fullOutputPath ?? "", "utf8")).toBe(lines.join(""));
    await collector.discard();
    expect(() => statSync(fullOutputPath ?? "")).toThrow("ENOENT");
  });

  it("is cleaned: old files first, then the oldest over the size", async () => {
    let now = Date.now();
    const options = { root, maxAgeMs: 1000_000, maxTotalBytes: 250, now: () => now };
    const folder = await openOutputFolder(options);
    const write = (name: string, agoMs: number) => {
      const path = join(folder.path, name);
      writeFileSync(path, "x".repeat(100));
      utimesSync(path, new Date(now - agoMs), new Date(now - agoMs));
    };
    write("ancient", 2_000_000);
    write("old", 900_000);
    write("newer", 800_000);
    write("newest", 700_000);
    await folder.sweep();
    expect(readdirSync(folder.path).sort()).toEqual(["newer", "newest"]);
    now += 2_000_000;
    await openOutputFolder(options);
    expect(readdirSync(folder.path)).toEqual([]);
    await folder.dispose();
    expect(readdirSync(root)).toEqual([]);
  });

  it("goes to a fresh folder when somebody else laid a link in its place", async () => {
    const folder = await openOutputFolder({ root });
    await folder.dispose();
    mkdirSync(join(root, "trap"));
    symlinkSync(join(root, "trap"), folder.path);
    const other = await openOutputFolder({ root });
    expect(other.path).not.toBe(folder.path);
    expect(statSync(other.path).mode & 0o077).toBe(0);
  });
});
