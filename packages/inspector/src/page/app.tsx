import { Fragment } from "preact";

import { CallGrid } from "./call-grid.tsx";
import { DiffGrid, DiffSummary } from "./diff-grid.tsx";
import { FleetGrid } from "./fleet-grid.tsx";
import { FleetHeader } from "./fleet-header.tsx";
import { isFleet, place } from "./fleet-state.ts";
import { FleetToolbar } from "./fleet-toolbar.tsx";
import { Header } from "./header.tsx";
import { Panel } from "./panel.tsx";
import { FleetPanel } from "./panel/fleet-panel.tsx";
import { announcement, connection, otherRun, runs, trouble } from "./state.ts";
import { Toolbar } from "./toolbar.tsx";

type KeyHint = readonly [names: readonly string[], does: string];

const LIST_KEYS: readonly KeyHint[] = [
  [["↑", "↓"], "move"],
  [["Enter"], "open"],
  [["/"], "filter"],
  [["Esc"], "clear"],
];
const RUN_KEYS: readonly KeyHint[] = [
  [["↑", "↓"], "move"],
  [["←", "→", "Enter"], "fold"],
  [["/"], "filter"],
  [["z"], "zoom"],
  [["Esc"], "clear"],
];

export function App() {
  return isFleet.value && place.value.kind === "list" ? <FleetPage /> : <RunPage />;
}

function FleetPage() {
  return (
    <div class="app">
      <FleetHeader />
      <FleetToolbar />
      <main>
        <FleetGrid />
        <FleetPanel />
      </main>
      <Foot keys={LIST_KEYS} />
    </div>
  );
}

/** Under every page: what the keys do, and what is only said aloud. */
function Foot({ keys }: { readonly keys: readonly KeyHint[] }) {
  return (
    <>
      <footer class="keys" aria-label="Keys">
        {keys.map(([names, does]) => (
          <span key={does}>
            {names.map((name) => (
              <Fragment key={name}>
                <kbd>{name}</kbd>{" "}
              </Fragment>
            ))}
            {does}
          </span>
        ))}
      </footer>
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </>
  );
}

function emptyText(): string {
  if (connection.value === "unknown") return "There is no run of this name.";
  if (connection.value === "lost") return "The server is gone.";
  return trouble.value === "" ? "Waiting for the run…" : "";
}

function RunPage() {
  const comparing = otherRun.value !== undefined;
  return (
    <div class={`app${comparing ? " comparing" : ""}`}>
      <Header />
      {comparing ? <DiffSummary /> : <Toolbar />}
      <main>
        {runs.value.length === 0 ? (
          <p class="empty">{emptyText()}</p>
        ) : (
          <>
            {comparing ? <DiffGrid /> : <CallGrid />}
            <Panel />
          </>
        )}
      </main>
      <Foot keys={RUN_KEYS} />
    </div>
  );
}
