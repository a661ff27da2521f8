import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

const program = fileURLToPath(new URL("../../scripts/fleet.ts", import.meta.url));
let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "nestbox-live-"));
  // Of PostgreSQL, which runs as somebody else where this runs as root.
  chmodSync(temp, 0o755);
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

interface Story {
  readonly child: ChildProcess;
  readonly text: () => string;
  readonly exitCode: Promise<number | null>;
}

function tell(engine: string, env: NodeJS.ProcessEnv = {}): Story {
  const child = spawn(process.execPath, ["--conditions=@nestbox/source", program, "--engine", engine], {
    // The server of Restate is where its script has put it.
    env: { NESTBOX_RESTATE: join(tmpdir(), "nestbox-restate-server"), ...process.env, TMPDIR: temp, ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
  return {
    child,
    text: () => text,
    exitCode: new Promise((resolve) => child.once("close", (code) => resolve(code))),
  };
}

const folders = (): readonly string[] => readdirSync(temp).filter((name) => name.startsWith("nestbox-"));

/** Processes that were started below the folder of this test. */
function left(): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
        const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
        return environment.includes(`TMPDIR=${temp}`) || words.includes(temp) ? [words] : [];
      } catch {
        // It has ended meanwhile.
        return [];
      }
    });
}

describe("one command", () => {
  it.each(["dbos", "restate"])(
    "starts a fleet on %s and shows a run surviving the kill of its worker, and leaves nothing behind",
    async (engine) => {
      const story = tell(engine);
      expect([await story.exitCode, story.text()]).toEqual([0, expect.any(String)]);
      expect(story.text()).toMatch(/is in the middle of render_report\n.*is killed: kill -9 \d+\n/);
      expect(story.text()).toMatch(/goes on with it after \d+ ms/);
      expect(story.text()).toContain("a person says yes: nestbox approve review-1");
      expect(story.text()).toContain("every effect happened once");
      expect(folders()).toEqual([]);
      expect(left()).toEqual([]);
    },
  );

  it("leaves nothing behind where it is interrupted, and says that nothing was shown", async () => {
    const story = tell("dbos");
    while (!story.text().includes("two workers are ready")) {
      if (story.child.exitCode !== null) throw new Error(story.text());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    story.child.kill("SIGINT");
    expect([await story.exitCode, story.text()]).toEqual([
      1,
      expect.stringContaining("It is not shown: it was interrupted"),
    ]);
    expect(folders()).toEqual([]);
    expect(left()).toEqual([]);
  });

  it("says what is missing, and how to have it", async () => {
    const story = tell("restate", { NESTBOX_RESTATE: temp });
    expect(await story.exitCode).toBe(2);
    expect(story.text()).toContain("packages/restate/scripts/install-server.sh");
  });
});
