import { readFileSync } from "node:fs";
import { join } from "node:path";
import { CHOICES } from "@nestbox/policy/pi";
import { readAudit } from "@nestbox/policy/node";
import { call, scriptedPiSession } from "@nestbox/tool/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import releaseExtension from "../src/extension.ts";
import { sharedRepository, type SharedRepository } from "./shared-repository.ts";

let repository: SharedRepository;

beforeEach(() => {
  repository = sharedRepository();
});

afterEach(() => {
  repository[Symbol.dispose]();
});

/** A session with the extension, and a person who gives one answer to every question; without one, no person. */
const session = (answer?: string) =>
  scriptedPiSession({
    cwd: repository.project,
    // Where Pi keeps the user's files; the guard keeps its record there.
    agentDir: repository.agentDir,
    extensions: [releaseExtension],
    ...(answer === undefined ? {} : { ui: { select: answer } }),
  });

describe("a guard in an extension with a tool of its own", () => {
  it("lets the model look without asking", async () => {
    await using pi = await session();
    await pi.prompt("What is new?", [call("bash", { command: "git log --oneline | head -n 5" }), "One."]);
    expect(pi.resultText()).toContain("second");
    expect(pi.errors).toEqual([]);
  });

  // contract A8
  it("asks a person before others see it, and pushes when they agree", async () => {
    await using pi = await session(CHOICES.once);
    await pi.prompt("Publish", [call("publish_branch", { branch: "main" }), "Done."]);
    const [question] = pi.ui?.dialogs ?? [];
    expect(pi.ui?.dialogs).toHaveLength(1);
    expect(question?.title).toContain("publish_branch › bash");
    expect(question?.title).toContain("git push origin main");
    expect(question?.title).toContain("Others will see it (others-see-it, user)");
    expect(repository.heads().origin).toBe(repository.heads().here);
  });

  // contract A8
  it("pushes nothing when the person declines, or when there is none", async () => {
    for (const answer of [CHOICES.deny, undefined]) {
      await using pi = await session(answer);
      const before = repository.heads();
      await pi.prompt("Publish", [call("publish_branch", { branch: "main" }), "It was not published."]);
      expect(repository.heads()).toEqual(before);
      expect(pi.resultText()).toContain(answer === undefined ? "no UI" : "declined");
    }
  });

  // contract A23
  it("refuses a force push, from the model and from the tool, and asks nobody", async () => {
    await using pi = await session(CHOICES.once);
    const before = repository.heads();
    await pi.prompt("Push it, whatever it takes", [
      call("bash", { command: "git -c push.default=current push origin +main" }),
      call("publish_branch", { branch: "main", force: true }),
      "It is not allowed.",
    ]);
    expect(pi.toolResults().map(({ isError }) => isError)).toEqual([true, true]);
    expect(pi.resultText("call-1")).toContain("git.force-push");
    expect(pi.resultText("call-2")).toContain("git.force-push");
    expect(pi.ui?.dialogs).toEqual([]);
    expect(repository.heads()).toEqual(before);
  });

  it("keeps a record of what was asked and answered", async () => {
    {
      await using pi = await session(CHOICES.once);
      await pi.prompt("Publish", [
        call("publish_branch", { branch: "main", force: true }),
        call("publish_branch", { branch: "main" }),
        "Done.",
      ]);
    }
    const report = readAudit({ dir: join(repository.agentDir, "nestbox", "audit") });
    expect(report).toMatchObject({ ok: true, totals: { allow: 3, deny: 1, asked: 1 } });
    expect(report.hits.map(({ rule }) => rule)).toEqual(
      expect.arrayContaining(["git.force-push", "others-see-it"]),
    );
  });
});

it("is what its README shows", () => {
  const read = (name: string) => readFileSync(new URL(name, import.meta.url), "utf8");
  const shown = /```ts\n(.*?)```/s.exec(read("../README.md"))?.[1]?.trim().split("\n") ?? [];
  const lines = read("../src/extension.ts")
    .split("\n")
    .map((line) => line.trim());
  expect(shown).not.toEqual([]);
  expect(shown.filter((line) => !lines.includes(line))).toEqual([]);
});
