import { formatCount, formatMs } from "../model/format.ts";
import type { Run, RunStanding } from "../model/run.ts";
import { Command } from "./command.tsx";
import { isFleet, listAddress } from "./fleet-state.ts";
import { RunStateWord } from "./run-state.tsx";
import {
  chooseRun,
  chosenRun,
  compareWith,
  connection,
  otherRun,
  run,
  runs,
  tree,
  trouble,
} from "./state.ts";
import { Inline } from "./shown-text.tsx";
import { chooseTheme, theme, type Theme } from "./theme.ts";
import { cutText, plainText } from "../model/show-text.ts";

export function Header() {
  const many = runs.value.length > 1;
  const comparing = otherRun.value !== undefined;
  return (
    <header class="top">
      {isFleet.value && (
        <a class="back" href={listAddress.value}>
          <span aria-hidden="true">‹ </span>Fleet
        </a>
      )}
      <h1>
        <Logo />
        <span class="unseen">Call trace: </span>
        {many ? (
          <RunChoice label="Run" value={chosenRun.value} onChoose={chooseRun} />
        ) : (
          <span class="run-name">
            <Inline text={run.value.standing?.id ?? run.value.script?.name ?? run.value.name} />
          </span>
        )}
      </h1>
      {comparing ? (
        <span class="against">
          against <RunChoice label="Other run" value={otherRun.value ?? 0} onChoose={compareWith} />
        </span>
      ) : (
        <Summary run={run.value} endMs={tree.value.endMs} />
      )}
      <span class="push" />
      {many && (
        <button
          type="button"
          class="switch"
          aria-pressed={comparing}
          onClick={() =>
            compareWith(comparing ? undefined : runs.value.findIndex((_, i) => i !== chosenRun.value))
          }
        >
          Side by side
        </button>
      )}
      <ThemeChoice />
      {trouble.value !== "" && <Trouble text={trouble.value} />}
      {!comparing && run.value.standing?.state === "halted" && <Halted standing={run.value.standing} />}
    </header>
  );
}

export function ThemeChoice() {
  return (
    <label class="theme">
      <span class="unseen">Colours</span>
      <select value={theme.value} onChange={({ currentTarget }) => chooseTheme(currentTarget.value as Theme)}>
        <option value="auto">Theme: auto</option>
        <option value="light">Theme: light</option>
        <option value="dark">Theme: dark</option>
      </select>
    </label>
  );
}

/** What is shown is older than it should be. */
export function Trouble({ text }: { readonly text: string }) {
  return (
    <p class="trouble" role="alert">
      <Inline text={text} />
    </p>
  );
}

/** Nobody carries it on, and it says so before anybody looks for it. */
function Halted({ standing: { id, message = "", resumeWith } }: { readonly standing: RunStanding }) {
  return (
    <section class="trouble" aria-label="Why it is halted">
      <p>
        Halted: <Inline text={message === "" ? "why is not on record" : message} />
      </p>
      {resumeWith.length > 0 && (
        <>
          <p class="hint">When the cause is gone, this has it tried again:</p>
          <Command words={resumeWith} args={[id]} />
        </>
      )}
    </section>
  );
}

interface RunChoiceProps {
  readonly label: string;
  readonly value: number;
  readonly onChoose: (index: number) => void;
}

function RunChoice({ label, value, onChoose }: RunChoiceProps) {
  return (
    <select
      class="run-choice"
      aria-label={label}
      value={String(value)}
      onChange={({ currentTarget }) => onChoose(Number(currentTarget.value))}
    >
      {runs.value.map(({ name }, index) => (
        <option key={index} value={String(index)}>
          {plainText(cutText(name, 100))}
        </option>
      ))}
    </select>
  );
}

function Summary({ run: shown, endMs }: { readonly run: Run; readonly endMs: number }) {
  const count = (status: string): number => shown.calls.filter((call) => call.status === status).length;
  const denied = count("denied");
  const failed = count("error");
  const waiting = count("waiting");
  const facts = [
    formatMs(endMs),
    shown.calls.length === 0 && shown.live && shown.standing !== undefined
      ? "no call ended yet"
      : `${formatCount(shown.calls.length)} ${shown.calls.length === 1 ? "call" : "calls"}`,
    ...(waiting > 0 ? [`${formatCount(waiting)} waiting for people`] : []),
    ...(denied > 0 ? [`${formatCount(denied)} denied`] : []),
    ...(failed > 0 ? [`${formatCount(failed)} failed`] : []),
    ...(shown.omitted > 0 ? [`${formatCount(shown.omitted)} not kept`] : []),
  ];
  return (
    <>
      <State run={shown} />
      <span class="facts">{facts.join(" · ")}</span>
    </>
  );
}

function State({ run: shown }: { readonly run: Run }) {
  const { standing } = shown;
  if (standing !== undefined && connection.value !== "lost")
    return (
      <span class={`state ${standing.state}`}>
        <RunStateWord state={standing.state} />
      </span>
    );
  if (shown.live && connection.value === "live") return <span class="state running">live</span>;
  if (connection.value === "connecting") return <span class="state cancelled">connecting</span>;
  if (shown.live && connection.value === "lost") return <span class="state denied">connection lost</span>;
  if (shown.live) return <span class="state cancelled">unfinished</span>;
  const outcome = shown.script?.outcome;
  if (outcome === undefined) return null;
  return outcome.ok ? <span class="state ok">succeeded</span> : <span class="state error">failed</span>;
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <rect x="1" y="2" width="9" height="3" rx="1" />
      <rect x="4" y="6.5" width="11" height="3" rx="1" />
      <rect x="6" y="11" width="6" height="3" rx="1" />
    </svg>
  );
}
