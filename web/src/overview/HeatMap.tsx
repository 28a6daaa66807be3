// SPDX-License-Identifier: Apache-2.0
// Ranks and steps as a heat map: longer steps are darker. If there are many ranks, only the slowest are shown.
import { formatStep } from "../text/format";
import { ThingLink } from "../parts/Thing";
import type { StepRow } from "../results/steps";
import { groupBy } from "../results/steps";

const MOST_RANKS = 32;
const MOST_STEPS = 60;

export function HeatMap({ rows }: { rows: StepRow[] }) {
  const ranks = groupBy(rows, (r) => r.rank);
  if (ranks.size < 2) return null;
  const steps = [...new Set(rows.map((r) => r.step))].sort((a, b) => a - b).slice(0, MOST_STEPS);
  const mean = (of: StepRow[]): number => of.reduce((a, r) => a + r.duration, 0) / of.length;
  const shown = [...ranks].sort(([, a], [, b]) => mean(b) - mean(a)).slice(0, MOST_RANKS).sort(([a], [b]) => a - b);
  const all = rows.map((r) => r.duration);
  const [least, most] = [Math.min(...all), Math.max(...all)];
  return (
    <>
      <h2>Ranks and steps <span class="s">{formatStep(least)} light to {formatStep(most)} dark{ranks.size > MOST_RANKS ? `, the ${MOST_RANKS} slowest of ${ranks.size} ranks` : ""}</span></h2>
      <div class="heat" style={{ gridTemplateColumns: `64px repeat(${steps.length}, minmax(8px, 1fr))` }}>
        {shown.map(([rank, of]) => [
          <ThingLink key={rank} kind="rank" id={String(rank)}>rank {rank}</ThingLink>,
          ...steps.map((step) => {
            const r = of.find((x) => x.step === step);
            const part = r && most > least ? (r.duration - least) / (most - least) : 0;
            return r ? (
              <ThingLink key={`${rank} ${step}`} kind="step" id={String(step)} class="" hint={`rank ${rank}, step ${step}: ${formatStep(r.duration)}`}>
                <i style={{ opacity: 0.2 + 0.8 * part }} /><span class="away">rank {rank}, step {step}: {formatStep(r.duration)}</span>
              </ThingLink>
            ) : <span key={`${rank} ${step}`} />;
          }),
        ])}
      </div>
    </>
  );
}
