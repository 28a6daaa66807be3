// SPDX-License-Identifier: Apache-2.0
// The bar of a step: its parts as long as they take, with their numbers printed.
import { formatPercent, formatStep } from "../text/format";
import { ThingLink } from "../parts/Thing";
import { Quantity } from "../parts/Quantity";
import type { PartName, Quantities } from "../results/steps";
import { PARTS } from "../results/steps";

/** A cause of idle time, and its part, from the table of waits. */
export interface IdleCause {
  name: string;
  us: number;
}

export function Bar({ parts, whole, label }: { parts: Record<PartName, number>; whole: number; label: string }) {
  return (
    <div class="bar" role="img" aria-label={label}>
      {PARTS.map((p) => (parts[p.name] > 0 ? <span key={p.name} class={`seg ${p.look}`} style={{ flex: `${parts[p.name] / whole}` }} data-hint={`${p.title} ${formatStep(parts[p.name])}`} /> : null))}
    </div>
  );
}

const wordsOf = (q: Quantities): string => PARTS.map((p) => `${p.title} ${formatStep(q.parts[p.name])}`).join(", ");

function Note({ part, q, causes }: { part: PartName; q: Quantities; causes: IdleCause[] }) {
  if (part === "exposed_communication") return q.hidden + q.parts.exposed_communication > 0 ? <> · {formatStep(q.hidden)} {q.hidden === 1 ? "is" : "is"} hidden</> : null;
  const cause = part === "idle" ? causes[0] : undefined;
  return cause ? <> · {formatStep(cause.us)} {cause.name}</> : null;
}

export function PartsBar({ q, what, causes }: { q: Quantities; what: string; causes: IdleCause[] }) {
  return (
    <>
      <Bar parts={q.parts} whole={q.mean} label={`A step of ${formatStep(q.mean)}: ${wordsOf(q)}`} />
      <div class="parts">
        {PARTS.map((p) => (
          <ThingLink key={p.name} kind="part" id={p.name} class={p.look}>
            <span class={`dot ${p.look}`} /> {p.title}
            <br />
            <Quantity class="num-big" name={`step.${p.name}`} of={what} value={q.parts[p.name]} />{" "}
            <span class="s">{formatPercent((100 * q.parts[p.name]) / q.mean)} of step<Note part={p.name} q={q} causes={causes} /></span>
          </ThingLink>
        ))}
      </div>
    </>
  );
}
