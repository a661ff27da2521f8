import { formatCount } from "../model/format.ts";
import { fleet } from "./fleet-state.ts";
import { Logo, ThemeChoice, Trouble } from "./header.tsx";
import { Inline } from "./shown-text.tsx";
import { connection } from "./state.ts";

export function FleetHeader() {
  const { runs, name, more, loaded, trouble } = fleet.value;
  const asked = runs.reduce((sum, { waitingFor }) => sum + waitingFor, 0);
  const facts = [
    `${more ? "the newest " : ""}${formatCount(runs.length)} ${runs.length === 1 ? "run" : "runs"}`,
    ...(asked > 0 ? [`${formatCount(asked)} open ${asked === 1 ? "question" : "questions"}`] : []),
  ];
  return (
    <header class="top">
      <h1>
        <Logo />
        <span class="run-name">
          Fleet <span class="hint">{name !== "" && <Inline text={name} />}</span>
        </span>
      </h1>
      <State away={trouble !== undefined} />
      <span class="facts">{loaded ? facts.join(" · ") : ""}</span>
      <span class="push" />
      <ThemeChoice />
      {trouble !== undefined && <Trouble text={trouble} />}
    </header>
  );
}

function State({ away }: { readonly away: boolean }) {
  if (connection.value === "lost") return <span class="state denied">connection lost</span>;
  if (connection.value === "connecting") return <span class="state cancelled">connecting</span>;
  return away ? <span class="state denied">away</span> : <span class="state running">live</span>;
}
