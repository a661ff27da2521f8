import { describe, expect, it } from "vitest";

import type { Decision } from "../../src/index.ts";
import { createEngine, type PolicyLayer } from "../../src/index.ts";
import { type PolicyCase, readCases } from "../cases/case-file.ts";
import { gateCases } from "../cases/gate-cases.ts";
import { caseOptions, type CaseSetup, caseSetups } from "./case-setups.ts";
import { call, layer } from "./support.ts";

const cases = readCases();

function decideCase(one: PolicyCase, setup: CaseSetup): Decision {
  const layers: PolicyLayer[] = [...(setup.layers ?? [])];
  for (const name of ["managed", "user", "project"] as const) {
    const policy = setup[name];
    if (policy !== undefined) layers.push(layer(name, policy));
  }
  const { source, tool, ...request } = setup.request ?? {};
  const made = call(one.tool, one.input, { ...request, ...(source === undefined ? {} : { source }) });
  // Options are kept as they are: one case has a file system that cannot even be asked for.
  const options = caseOptions(setup);
  const engine = createEngine(
    Object.defineProperties(
      { layers, home: "/home/u", cwd: "/w" },
      Object.getOwnPropertyDescriptors(options),
    ),
  );
  return engine.evaluate({ ...made, tool: { ...made.tool, ...tool } }, setup.history);
}

describe("every case of the list, as real policy files", () => {
  const decided = cases.filter((one) => Object.hasOwn(caseSetups, one.id));
  it.each(decided.map((one) => [one.id, one.policy, one] as const))("%s: %s", (id, _policy, one) => {
    const decision = decideCase(one, caseSetups[id] ?? {});
    // What a person types is allowed because it is not judged, and the decision says so.
    const expected =
      one.decision === "not judged" ? { effect: "allow", rule: "default.person" } : { effect: one.decision };
    expect({ ...decision, why: one.why }).toMatchObject(expected);
  });

  it("together with the gate's cases, all 112 are covered and none twice", () => {
    const here = Object.keys(caseSetups);
    expect(cases).toHaveLength(112);
    expect([...here, ...gateCases].sort()).toEqual(cases.map(({ id }) => id).sort());
  });
});
