import { CallGrid } from "./call-grid.tsx";
import { DiffGrid, DiffSummary } from "./diff-grid.tsx";
import { Header } from "./header.tsx";
import { Panel } from "./panel.tsx";
import { announcement, connection, otherRun, runs } from "./state.ts";
import { Toolbar } from "./toolbar.tsx";

export function App() {
  const comparing = otherRun.value !== undefined;
  return (
    <div class={`app${comparing ? " comparing" : ""}`}>
      <Header />
      {comparing ? <DiffSummary /> : <Toolbar />}
      <main>
        {runs.value.length === 0 ? (
          <p class="empty">{connection.value === "lost" ? "The server is gone." : "Waiting for the run…"}</p>
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
      <div class="unseen" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}
