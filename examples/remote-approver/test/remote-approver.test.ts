import { describe, expect, it } from "vitest";
import { openApprovalServer, type ApprovalServerOptions } from "../src/approval-server.ts";
import { deployHost, type DeployHostOptions } from "../src/deploy-host.ts";
import { httpApprover } from "../src/http-approver.ts";
import type { Question, Reply } from "../src/question.ts";

const token = "0123456789abcdef";
const staging = { version: "1.2.0", target: "staging" };

/** A person who does not answer; the promise ends when the question is taken back. */
const silent = (_question: Question, signal: AbortSignal): Promise<Reply> =>
  new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("taken back"))));

interface Setup {
  readonly answer: ApprovalServerOptions["answer"];
  readonly asking?: Partial<DeployHostOptions>;
  readonly sentToken?: string;
}

async function start({ answer, asking = {}, sentToken = token }: Setup) {
  const deployed: string[] = [];
  const questions: Question[] = [];
  const server = await openApprovalServer({
    token,
    answer: (question, signal) => {
      questions.push(question);
      return answer(question, signal);
    },
  });
  const { host, gate } = deployHost({
    cwd: import.meta.dirname,
    approver: httpApprover({ url: server.url, token: sentToken }),
    deploy: async (version, target) => void deployed.push(`${version} ${target}`),
    ...asking,
  });
  const close = async () => {
    await host.close();
    await server[Symbol.asyncDispose]();
  };
  return { host, gate, server, deployed, questions, [Symbol.asyncDispose]: close };
}

const textOf = ({ result }: { readonly result: { readonly content: readonly object[] } }): string =>
  result.content.map((part) => ("text" in part ? String(part.text) : "")).join("\n");

describe("a policy with a remote approver", () => {
  it("runs a call that somebody approved, once, and tells them what it is", async () => {
    await using setup = await start({
      answer: async ({ callId, fingerprint }) => ({ answer: "approve", callId, fingerprint }),
    });
    const { host, deployed, questions } = setup;
    const outcome = await host.call("deploy", staging);
    expect(textOf(outcome)).toBe("1.2.0 is on staging");
    expect(deployed).toEqual(["1.2.0 staging"]);
    expect(questions).toMatchObject([
      {
        chain: ["deploy"],
        reason: "Others use what is deployed",
        rule: "somebody-agrees",
        fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    ]);
    expect(questions[0]?.lines.join("\n")).toContain("1.2.0");
    // An approval is for one call: the next one is asked about again.
    await host.call("deploy", staging);
    expect(questions).toHaveLength(2);
  });

  // contract A8
  it("tells the model that somebody declined, and why", async () => {
    await using setup = await start({
      answer: async ({ callId, fingerprint }) => ({
        answer: "decline",
        callId,
        fingerprint,
        comment: "not on Fridays",
      }),
    });
    const outcome = await setup.host.call("deploy", staging);
    expect(outcome.isError).toBe(true);
    expect(textOf(outcome)).toContain("not on Fridays");
    expect(setup.deployed).toEqual([]);
  });

  it("does not ask again for what was declined, until the next run begins", async () => {
    await using setup = await start({
      answer: async ({ callId, fingerprint }) => ({ answer: "decline", callId, fingerprint }),
    });
    setup.gate.beginRun();
    await setup.host.call("deploy", staging);
    await setup.host.call("deploy", staging);
    expect(setup.questions).toHaveLength(1);
    setup.gate.beginRun();
    await setup.host.call("deploy", staging);
    expect(setup.questions).toHaveLength(2);
    expect(setup.deployed).toEqual([]);
  });

  it("denies when the time is over, and takes the question back", async () => {
    const taken = Promise.withResolvers<void>();
    await using setup = await start({
      answer: (question, signal) => {
        signal.addEventListener("abort", () => taken.resolve());
        return silent(question, signal);
      },
      asking: { timeout: { afterMs: 200, outcome: "deny" } },
    });
    const outcome = await setup.host.call("deploy", staging);
    expect(textOf(outcome)).toContain("nobody answered");
    expect(outcome).toMatchObject({ isError: true, decision: { effect: "deny", rule: "somebody-agrees" } });
    await taken.promise;
    expect(setup.deployed).toEqual([]);
  });

  it("stops the run when the time is over, where that was chosen", async () => {
    const run = new AbortController();
    const stopped = Promise.withResolvers<void>();
    await using setup = await start({
      answer: silent,
      asking: {
        timeout: { afterMs: 200, outcome: "stop" },
        onStop() {
          run.abort();
          stopped.resolve();
        },
      },
    });
    const outcome = await setup.host.call("deploy", staging, { signal: run.signal });
    expect(textOf(outcome)).toContain("nobody answered within 200 ms");
    expect(outcome).toMatchObject({ isError: true, decision: { effect: "deny", rule: "somebody-agrees" } });
    await stopped.promise;
    expect(run.signal.aborted).toBe(true);
    expect(setup.deployed).toEqual([]);
  });

  it("waits on, where that was chosen, and says that it does", async () => {
    const reminded = Promise.withResolvers<void>();
    await using setup = await start({
      // They answer when they are reminded.
      answer: async ({ callId, fingerprint }) => {
        await reminded.promise;
        return { answer: "approve", callId, fingerprint };
      },
      asking: { timeout: { afterMs: 100, outcome: "wait" }, onStillWaiting: () => reminded.resolve() },
    });
    expect((await setup.host.call("deploy", staging)).isError).toBe(false);
    expect(setup.deployed).toEqual(["1.2.0 staging"]);
  });

  it("takes nothing for a yes that is not an answer to this very question", async () => {
    const replies: readonly ((question: Question) => unknown)[] = [
      ({ callId }) => ({ answer: "approve", callId, fingerprint: "0".repeat(64) }),
      // The same arguments, in another call.
      ({ fingerprint }) => ({ answer: "approve", callId: "another", fingerprint }),
      ({ fingerprint }) => ({ answer: "approve", fingerprint }),
      () => ({ answer: "approve" }),
      () => ({ answer: "yes" }),
      () => "approve",
      () => null,
    ];
    for (const reply of replies) {
      await using setup = await start({ answer: async (question) => reply(question) as Reply });
      const outcome = await setup.host.call("deploy", staging);
      expect(textOf(outcome)).toContain("answered something else");
      expect(setup.deployed).toEqual([]);
    }
  });

  it("denies, and says why, when the other end is gone or does not know us", async () => {
    await using gone = await start({ answer: silent });
    await gone.server[Symbol.asyncDispose]();
    expect(textOf(await gone.host.call("deploy", staging))).toContain("cannot be reached");
    await using stranger = await start({ answer: silent, sentToken: "fedcba9876543210" });
    expect(textOf(await stranger.host.call("deploy", staging))).toContain("says 401");
    expect([...gone.deployed, ...stranger.deployed, ...stranger.questions]).toEqual([]);
  });

  it("asks nobody about what is denied", async () => {
    await using setup = await start({
      answer: async ({ callId, fingerprint }) => ({ answer: "approve", callId, fingerprint }),
    });
    const outcome = await setup.host.call("deploy", { version: "1.2.0", target: "production" });
    expect(textOf(outcome)).toContain("Instead: deploy to staging");
    expect(setup.questions).toEqual([]);
    expect(setup.deployed).toEqual([]);
  });
});
