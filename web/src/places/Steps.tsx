// SPDX-License-Identifier: Apache-2.0
// Steps and their parts: bars, a table with the mean in its last row, ranks and steps as a heat map, the critical path.
import { useMemo } from "preact/hooks";
import { profilePath } from "../answers/api";
import { useTable } from "../answers/data";
import { counted, formatMicros, formatStep } from "../text/format";
import { Grid } from "../grid/Grid";
import type { Column, RowSet } from "../grid/model";
import { isReport } from "../answers/embedded";
import { CriticalPath } from "../overview/CriticalPath";
import { HeatMap } from "../overview/HeatMap";
import { StepBars } from "../overview/StepBars";
import { StepNotes } from "../overview/StepNotes";
import { Actions } from "../parts/Actions";
import { Quantity } from "../parts/Quantity";
import type { PartName, StepRow } from "../results/steps";
import { PARTS, groupBy, quantitiesOf, useQuantities } from "../results/steps";
import { change, state } from "../state/store";
import { col } from "../table/read";
import type { PlaceProps } from "./index";

const NAMES: Record<PartName, string> = { compute: "compute", exposed_communication: "exposed comm.", exposed_copies: "exposed copies", idle: "idle" };

/** One row per step: the mean over the ranks. */
function gridOf(rows: StepRow[]): { set: RowSet; columns: Column[] } {
  const steps = [...groupBy(rows, (r) => r.step)].sort(([a], [b]) => a - b).map(([step, of]) => ({ step, q: quantitiesOf(of), of }));
  const at = (row: number) => steps[row] as (typeof steps)[number];
  const slowest = (row: number): StepRow => at(row).of.reduce((a, b) => (b.duration > a.duration ? b : a));
  const ranks = new Set(rows.map((r) => r.rank)).size;
  return {
    set: { count: steps.length, thing: (row) => ({ kind: "step", id: String(at(row).step) }), name: (row) => `step ${at(row).step}`, full: (row) => `step ${at(row).step}` },
    columns: [
      col("total", "time", "step", (row) => at(row).q.mean),
      ...PARTS.map((p) => col(p.name, NAMES[p.name], "step", (row) => at(row).q.parts[p.name], { width: 92, help: p.title })),
      col("hidden", "hidden comm.", "step", (row) => at(row).q.hidden || null, { width: 88 }),
      col("count", "kernels", "count", (row) => at(row).of.reduce((n, r) => n + r.kernels, 0) || null, { width: 60 }),
      ...(ranks > 1 ? [col("rank", "slowest rank", "number", (row) => slowest(row).rank, { width: 84 })] : []),
    ],
  };
}

export function StepsPlace({ of }: PlaceProps) {
  const { rows, q, of: what } = useQuantities(of);
  const { sort, q: text } = state.value;
  const grid = useMemo(() => gridOf(rows), [rows.length, rows[0], rows[rows.length - 1]]);
  const path = profilePath(of.id, "views/steps?critical_path=true&format=columns");
  const critical = useTable(path);
  if (!q) return <p class="sentence">No steps are in the chosen filters.</p>;
  const foot = (c: Column | null) => {
    if (!c) return "mean";
    if (c.name === "total") return <Quantity name="step.mean" of={what} value={q.mean} />;
    const part = PARTS.find((p) => p.name === c.name);
    return part ? <Quantity name={`step.${part.name}`} of={what} value={q.parts[part.name]} /> : c.name === "hidden" ? formatStep(q.hidden) : "";
  };
  return (
    <>
      <div class="bar-line">
        <h1 class="place-title">{counted(q.steps, "step")} <span class="s">median <Quantity name="step.median" of={what} value={q.median} />, from {formatMicros(Math.min(...rows.map((r) => r.duration)))} to {formatMicros(Math.max(...rows.map((r) => r.duration)))}</span></h1>
        <span class="fill" />
        <Actions of={of} view="steps" path={profilePath(of.id, "views/steps?format=columns")} columns={grid.columns} />
      </div>
      <StepNotes of={of} />
      <StepBars rows={rows} />
      <Grid label="Steps" whole set={grid.set} columns={grid.columns} sort={sort || "name"} onSort={(to) => change({ sort: to })} text={text} nameTitle="step" nameLeast={100} foot={foot} />
      <HeatMap rows={rows} />
      {critical.value && critical.value.rows > 0 && <CriticalPath t={critical.value} of={of} />}
      {critical.error && !isReport && <p class="s">No critical path: {critical.error}</p>}
    </>
  );
}
