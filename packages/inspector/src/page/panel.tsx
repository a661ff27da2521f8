import type { ComponentChildren } from "preact";

import { CallPanel } from "./panel/call-panel.tsx";
import { DiffPanel } from "./panel/diff-panel.tsx";
import { LimitsPanel } from "./panel/limits-panel.tsx";
import { OutputPanel } from "./panel/output-panel.tsx";
import { RulesPanel } from "./panel/rules-panel.tsx";
import { ScriptPanel } from "./panel/script-panel.tsx";
import { StandingPanel } from "./panel/standing-panel.tsx";
import { otherRun, printing, run, script, scriptOwners, type Tab, tab } from "./state.ts";

const titles: Readonly<Record<Tab, string>> = {
  call: "Call",
  script: "Script",
  output: "Output",
  limits: "Limits",
  rules: "Rules",
  run: "Run",
};

/** What stands beside the tree, one part at a time; on paper all of them. */
export function Panel() {
  if (otherRun.value !== undefined)
    return (
      <section class="panel" aria-label="The chosen pair">
        <div class="content" tabIndex={0} role="region" aria-label="Details of the pair">
          <DiffPanel />
        </div>
      </section>
    );
  const tabs: readonly Tab[] = [
    "call",
    ...(script.value === undefined ? [] : (["script", "output", "limits"] as const)),
    "rules",
    ...(run.value.standing === undefined ? [] : (["run"] as const)),
  ];
  const shown = tabs.includes(tab.value) ? tab.value : "call";
  if (printing.value)
    return (
      <section class="panel">
        {tabs.map((one) => (
          <section key={one}>
            <h2>{titles[one]}</h2>
            {one === "script"
              ? scriptOwners.value.map((owner) => <ScriptPanel key={owner ?? ""} owner={owner} />)
              : contentOf(one)}
          </section>
        ))}
      </section>
    );
  return (
    <section class="panel" aria-label="Details">
      <div
        class="tabs"
        role="tablist"
        aria-label="Details"
        onKeyDown={(event) => onTabKey(event, tabs, shown)}
      >
        {tabs.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`tab-${one}`}
            aria-selected={one === shown}
            aria-controls="tab-content"
            tabIndex={one === shown ? 0 : -1}
            onClick={() => (tab.value = one)}
          >
            {titles[one]}
          </button>
        ))}
      </div>
      <div
        class={`content ${shown}`}
        role="tabpanel"
        id="tab-content"
        aria-labelledby={`tab-${shown}`}
        tabIndex={0}
      >
        {contentOf(shown)}
      </div>
    </section>
  );
}

function contentOf(shown: Tab): ComponentChildren {
  switch (shown) {
    case "call":
      return (
        <>
          <CallPanel />
          {/* Of a run without calls there is nothing but how it ended, and that is not to be looked for. */}
          {run.value.calls.length === 0 && run.value.script?.outcome !== undefined && <OutputPanel />}
        </>
      );
    case "script":
      return <ScriptPanel />;
    case "output":
      return <OutputPanel />;
    case "limits":
      return <LimitsPanel />;
    case "rules":
      return <RulesPanel />;
    case "run":
      return <StandingPanel />;
  }
}

function onTabKey(event: KeyboardEvent, tabs: readonly Tab[], shown: Tab): void {
  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
  const next = tabs[(tabs.indexOf(shown) + step + tabs.length) % tabs.length];
  if (step === 0 || next === undefined) return;
  event.preventDefault();
  tab.value = next;
  document.getElementById(`tab-${next}`)?.focus();
}
