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
      <footer class="keys" aria-label="Keys">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>Enter</kbd> open
        </span>
        <span>
          <kbd>/</kbd> filter
        </span>
        <span>
          <kbd>Esc</kbd> clear
        </span>
      </footer>
      <Announcement />
    </div>
  );
}

function Announcement() {
  return (
    <div class="unseen" role="status" aria-live="polite">
      {announcement.value}
    </div>
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
      <footer class="keys" aria-label="Keys">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> move
        </span>
        <span>
          <kbd>←</kbd> <kbd>→</kbd> <kbd>Enter</kbd> fold
        </span>
        <span>
          <kbd>/</kbd> filter
        </span>
        <span>
          <kbd>z</kbd> zoom
        </span>
        <span>
          <kbd>Esc</kbd> clear
        </span>
      </footer>
      <Announcement />
    </div>
  );
}
