// SPDX-License-Identifier: Apache-2.0
// The panel of a range of time: its length, and where the time in it went.
import { useMemo, useState } from "preact/hooks";
import { Section } from "../details/Section";
import type { PanelProps } from "../details/kinds";
import { formatMicros, formatShare } from "../text/format";
import { Grid } from "../grid/Grid";
import type { Column, RowSet } from "../grid/model";
import { isReport } from "../answers/embedded";
import { lookOfClass } from "../results/classes";
import { useLoaded } from "../answers/load";
import { filters, goTo, query, range } from "../state/store";
import type { Kind } from "../state/store";
import type { Grouping, Lanes, Source, Sum, Sums } from "./data";
import { stepAsked } from "./alone";
import { GROUPINGS, listOf, servedSource } from "./data";
import { embeddedSource } from "./embedded";
import { once } from "../answers/data";

const COLUMNS: { name: string; title: string; unit: string; width: number; value: (s: Sum) => number }[] = [
  { name: "total", title: "total", unit: "us", width: 62, value: (s) => s.total_us },
  { name: "count", title: "count", unit: "count", width: 52, value: (s) => s.count },
  { name: "mean", title: "mean", unit: "us", width: 62, value: (s) => s.mean_us },
  { name: "min", title: "min", unit: "us", width: 62, value: (s) => s.min_us },
  { name: "max", title: "max", unit: "us", width: 62, value: (s) => s.max_us },
  { name: "share", title: "share", unit: "share", width: 56, value: (s) => s.share },
];

/** The rows of the lanes that pass the filters; "": all. */
function rowsOf(lanes: Lanes, ranks: number[], device: string): string {
  if (!ranks.length && !device) return "";
  const kept = lanes.lanes.filter((l) => (!ranks.length || l.rank < 0 || ranks.includes(l.rank)) && (!device || l.kind === "host" || l.device === device));
  return listOf(kept.flatMap((l) => Array.from({ length: l.rows }, (_, i) => l.firstRow + i)).sort((a, b) => a - b)) || "4294967295";
}

const kindOf = (s: Sum, by: Grouping): Kind => (by === "name" ? (s.device ? "kernel" : s.kind === "op" || s.kind === "call" ? "op" : "call") : by === "op" ? "op" : by === "lane" ? "lane" : "part");

function setOf(sums: Sums, by: Grouping): RowSet {
  const at = (row: number): Sum => sums.rows[row] as Sum;
  return {
    count: sums.rows.length,
    thing: (row) => ({ kind: kindOf(at(row), by), id: at(row).name }),
    name: (row) => at(row).short,
    full: (row) => at(row).name,
    look: (row) => at(row).kind === "device" ? "compute" : lookOfClass(at(row).kind, "host"),
  };
}

const sourceOf = (of: PanelProps["of"]): Promise<Source> => {
  const step = stepAsked(of.facts, isReport);
  const signal = new AbortController().signal;
  return once(`sums ${of.id} ${step}`, () => (isReport ? embeddedSource(of.id, step, signal) : servedSource(of.id, step, signal, () => undefined)));
};

function Groupings({ by, set }: { by: Grouping; set: (by: Grouping) => void }) {
  return (
    <div class="choices" role="group" aria-label="Sums by">
      {GROUPINGS.map((one) => <button key={one} type="button" aria-pressed={one === by} onClick={() => set(one)}>{one}</button>)}
    </div>
  );
}

export function RangePanel({ thing, of }: PanelProps) {
  const [from = 0, to = 0] = thing.id.split("-").map(Number);
  const [by, setBy] = useState<Grouping>("name");
  const [sort, setSort] = useState("-total");
  const { ranks, device } = filters.value;
  const q = query.value;
  const sums = useLoaded(`sums ${thing.id} ${by} ${q} ${ranks.join()} ${device}`, async (signal) => {
    const source = await sourceOf(of);
    return { by, sums: await source.sums({ from, to }, by, q, rowsOf(source.lanes, ranks, device), signal) };
  });
  const value = sums.value;
  const set = useMemo(() => value && setOf(value.sums, value.by), [value]);
  const columns = useMemo<Column[]>(() => COLUMNS.map((c) => ({ ...c, value: (row) => c.value(value?.sums.rows[row] as Sum) })), [value]);
  return (
    <>
      <div class="s">range · {formatMicros(from)} – {formatMicros(to)}</div>
      <div class="big">{formatMicros(to - from)}</div>
      {value && (
        <div class="s">
          {value.sums.device_us > 0 && <>devices {formatMicros(value.sums.device_us)}, {formatShare(value.sums.device_us, to - from)} of it · </>}
          threads {formatMicros(value.sums.host_us)}
        </div>
      )}
      <Section name="Sums" aside={q ? `of names with “${q}”` : "of the innermost spans, clipped"}>
        <Groupings by={by} set={setBy} />
        {sums.error && <p class="fault" role="alert">{sums.error}</p>}
        {set && value && <div class="tl-sums"><Grid label="Sums" set={set} columns={columns} sort={sort} onSort={setSort} nameTitle={value.by} nameLeast={150} every /></div>}
        {set && !set.count && <p class="s">Nothing runs in this range{q && ` with “${q}” in its name`}.</p>}
      </Section>
      <div class="actions">
        <button type="button" onClick={() => goTo("table", { by: by === "op" ? "op" : "kernel" })}>In table</button>
        <button type="button" onClick={() => goTo("flame")}>As flame</button>
        <button type="button" onClick={() => goTo("timeline", { view: range.value })}>Zoom to it <span class="s">f</span></button>
      </div>
    </>
  );
}
