import { describe, expect, it } from "vitest";
import type { JsonObject } from "@nestbox/tool";

import type { EngineOptions } from "../../src/index.ts";
import { createMemoryFs, type MemoryLayout } from "./memory-fs.ts";
import { call, engineOf, layer } from "./support.ts";

/** Many calls under one policy, with the decision that each must have. `cautious`: ask or deny, but never allow. */
export interface Twins {
  readonly promise: string;
  readonly user: { readonly [key: string]: unknown };
  readonly tool?: string;
  readonly files?: MemoryLayout;
  readonly foldsCase?: boolean;
  readonly options?: Partial<EngineOptions>;
  readonly cwd?: string;
  readonly allow?: readonly (string | JsonObject)[];
  readonly ask?: readonly (string | JsonObject)[];
  readonly deny?: readonly (string | JsonObject)[];
  readonly cautious?: readonly (string | JsonObject)[];
}

export function describeTwins(all: readonly Twins[]): void {
  describe.each(all.map((twins) => [twins.promise, twins] as const))("%s", (_promise, twins) => {
    const { tool = "bash", user, cwd = "/w" } = twins;
    const fs = createMemoryFs(
      { [cwd.replaceAll("\\", "/")]: null, ...twins.files },
      { foldsCase: twins.foldsCase === true },
    );
    const engine = engineOf([layer("user", user)], { fs, cwd, ...twins.options });
    const decide = (input: string | JsonObject) => {
      const given =
        typeof input !== "string"
          ? input
          : tool === "bash" || tool === "powershell"
            ? { command: input }
            : { path: input };
      return engine.evaluate(call(tool, given, { cwd }));
    };
    const rows = (["allow", "ask", "deny"] as const).flatMap((effect) =>
      (twins[effect] ?? []).map((input) => [effect, input] as const),
    );
    it.each(rows)("%s: %j", (effect, input) => {
      const decision = decide(input);
      expect(`${decision.effect} ${decision.personMessage}`).toMatch(new RegExp(`^${effect} `));
    });
    it.each((twins.cautious ?? []).map((input) => [input]))("not allowed: %j", (input) => {
      const decision = decide(input);
      expect(`${decision.effect} ${decision.personMessage}`).not.toMatch(/^allow /);
    });
  });
}
