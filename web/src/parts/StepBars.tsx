// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes: the mean step of each device as one stacked bar, and its steps one after the other.
import type { Table } from "../api";
import { cellText } from "../api";
import { formatMicros, formatShare } from "../format";

const PARTS = [
  { column: "compute_us", label: "compute", kind: "compute" },
  { column: "exposed_communication_us", label: "communication that nothing hides", kind: "communication" },
  { column: "exposed_copy_us", label: "copies that nothing hides", kind: "copy" },
  { column: "idle_us", label: "idle", kind: "idle" },
] as const;
const COLUMNS_MOST = 120; // most steps side by side: the last ones

interface Lane {
  name: string;
  rows: number[]; // the table's rows of its steps
}

const number = (t: Table, column: string, row: number): number => Number(t.column(column)?.values[row] ?? 0);

/** Ranks and devices in the table's order; rows of `all` include the time between steps. */
export function lanesOf(t: Table): Lane[] {
  const [rank, step, device] = [t.column("rank"), t.column("step"), t.column("device")];
  const lanes = new Map<string, Lane>();
  for (let row = 0; step && device && row < t.rows; row++) {
    if (cellText(step, row) === "all") continue;
    const name = `${rank ? `rank ${cellText(rank, row)}, ` : ""}${cellText(device, row)}`;
    const lane = lanes.get(name) ?? { name, rows: [] };
    lane.rows.push(row);
    lanes.set(name, lane);
  }
  return [...lanes.values()];
}

/** The mean duration of a step, over all devices. */
export const meanStep = (t: Table): number => {
  const rows = lanesOf(t).flatMap((lane) => lane.rows);
  return meanOf(t, rows, "duration_us");
};

const meanOf = (t: Table, rows: number[], column: string): number => rows.reduce((sum, row) => sum + number(t, column, row), 0) / (rows.length || 1);

/** One bar: its parts by their share of `whole`. */
function Stack({ t, rows, whole, upright }: { t: Table; rows: number[]; whole: number; upright?: boolean }) {
  const length = meanOf(t, rows, "duration_us") || 1;
  const parts = PARTS.map((p) => ({ ...p, us: meanOf(t, rows, p.column) }));
  const told = parts.map((p) => `${p.label} ${formatMicros(Math.round(p.us))} (${formatShare(p.us, length)})`).join(", ");
  const side = upright ? "height" : "width";
  return (
    <div class={upright ? "stack upright" : "stack"} role="img" aria-label={told} title={`${formatMicros(Math.round(length))}: ${told}`}>
      {parts.map((p) => <span key={p.kind} class={`part ${p.kind}`} style={{ [side]: `${(100 * p.us) / whole}%` }} />)}
    </div>
  );
}

function Legend() {
  return <p class="legend soft">{PARTS.map((p) => <span key={p.kind}><i class={`part ${p.kind}`} /> {p.label} </span>)}</p>;
}

const shownRows = (lane: Lane | undefined): number[] => lane?.rows.slice(-COLUMNS_MOST) ?? [];
const longestStep = (t: Table): number => Math.max(1, ...shownRows(lanesOf(t)[0]).map((row) => number(t, "duration_us", row)));
const longestMean = (t: Table): number => Math.max(1, ...lanesOf(t).map((lane) => meanOf(t, lane.rows, "duration_us")));

/** The steps of one device, each as high as it is long. */
function StepColumns({ t, lane, whole }: { t: Table; lane: Lane; whole: number }) {
  const rows = shownRows(lane);
  return (
    <figure class="steps-over-time">
      <div class="columns">{rows.map((row) => <Stack key={row} t={t} rows={[row]} whole={whole} upright />)}</div>
      <figcaption class="soft">
        steps {t.column("step") && cellText(t.column("step")!, rows[0] ?? 0)} to {t.column("step") && cellText(t.column("step")!, rows[rows.length - 1] ?? 0)} of {lane.name}; the longest takes {formatMicros(Math.round(longestStep(t)))}
      </figcaption>
    </figure>
  );
}

/** `beside`: tables whose bars are shown next to these, in the same measure. */
export function StepBars({ t, beside = [t] }: { t: Table; beside?: Table[] }) {
  const lanes = lanesOf(t);
  const first = lanes[0];
  const longest = Math.max(...beside.map(longestMean));
  if (!first) return null;
  return (
    <div class="step-bars">
      <Legend />
      <dl>
        {lanes.slice(0, 64).map((l) => (
          <div key={l.name}>
            <dt>{l.name} <span class="soft">{formatMicros(Math.round(meanOf(t, l.rows, "duration_us")))}</span></dt>
            <dd><Stack t={t} rows={l.rows} whole={longest} /></dd>
          </div>
        ))}
      </dl>
      {first.rows.length > 1 && <StepColumns t={t} lane={first} whole={Math.max(...beside.map(longestStep))} />}
    </div>
  );
}
