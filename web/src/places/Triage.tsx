// SPDX-License-Identifier: Apache-2.0
// A server's trace, phase by phase: what dominates and which line it is of, what runs beside other work, what one kernel could do.
import { useState } from "preact/hooks";
import { profilePath } from "../answers/api";
import { jsonOnce } from "../answers/data";
import { useLoaded } from "../answers/load";
import { Grid } from "../grid/Grid";
import { plainChain } from "../limits/content";
import { NoteLine } from "../parts/NoteLine";
import { Status } from "../parts/Status";
import { lookOfClass } from "../results/classes";
import { col, textCol } from "../table/read";
import type { Content } from "../table/tables";
import { counted, formatCount, formatPercent, formatStep, spacedUnits } from "../text/format";
import type { PlaceProps } from "./index";

interface Head {
  phase: string | null;
  steps: number;
  step_us: number | null;
  tokens_per_second: number | null;
  busy_share: number | null;
  bound: string | null;
}
interface Kernel {
  phase: string | null;
  name: string;
  class: string;
  family: string;
  count: number;
  device_us: number;
  share: number;
  mean_us: number;
  lines: string | null;
  modules: string | null;
  ops: string | null;
  efficiency: number | null;
}
interface Overlap {
  phase: string | null;
  name: string;
  class: string;
  device_us: number;
  share: number;
  alone_us: number;
  beside_us: number;
  depends: string | null;
  verdict: string;
}
interface Fusion {
  phase: string | null;
  chain: string;
  module: string | null;
  shape: string;
  calls: number;
  device_us: number;
  gain_us: number | null;
  certainty: string;
}
interface Answer {
  notes?: string[];
  columns: { name: string; short?: string[] }[];
  rows: Kernel[];
  head: Head[];
  overlap: Overlap[];
  fusion: Fusion[];
}

const first = (list: string | null): string => (list ?? "").split("|")[0] ?? "";
/** "FILE:LINE:FUNCTION 70%|…": the first, without the file's folders. */
const shortLine = (lines: string | null): string => first(lines).replace(/^.*\/(?=[^/]*:\d+)/, "");

/** The module; where it is a compiled graph, or unknown, the operator says more. */
const place = (k: Kernel): string => (/^(GraphModule|\(none\)|$)/.test(k.modules ?? "") && first(k.ops).replace(/^\(.*/, "")) || first(k.modules);

function kernels(rows: Kernel[], short: Map<string, string>): Content {
  const at = (row: number): Kernel => rows[row] as Kernel;
  return {
    set: { count: rows.length, thing: (row) => ({ kind: "kernel", id: at(row).name }), name: (row) => short.get(at(row).name) ?? at(row).name, full: (row) => at(row).name, look: (row) => lookOfClass(at(row).class) },
    columns: [
      textCol("family", "family", (row) => at(row).family, { width: 92 }),
      col("total", "device", "us", (row) => at(row).device_us),
      col("share", "share", "share", (row) => at(row).share, { width: 56, help: "of the phase's device time" }),
      col("efficiency", "of limit", "share", (row) => at(row).efficiency, { width: 60, help: "the time at the limits of the device, divided by the time that it took" }),
      textCol("line", "line", (row) => shortLine(at(row).lines), { width: 160 }),
      textCol("module", "module or op", (row) => place(at(row)), { width: 120 }),
      col("count", "count", "count", (row) => at(row).count, { width: 52 }),
      col("mean", "mean", "us", (row) => at(row).mean_us),
    ],
    sort: "-total",
  };
}

function overlaps(rows: Overlap[], short: Map<string, string>): Content {
  const at = (row: number): Overlap => rows[row] as Overlap;
  return {
    set: { count: rows.length, thing: (row) => ({ kind: "kernel", id: at(row).name }), name: (row) => short.get(at(row).name) ?? at(row).name.slice(0, 64), full: (row) => at(row).name, look: (row) => lookOfClass(at(row).class) },
    columns: [
      textCol("verdict", "verdict", (row) => at(row).verdict, { width: 64, help: "hidden: 80 % beside other work; exposed: 80 % alone" }),
      col("total", "device", "us", (row) => at(row).device_us),
      col("alone", "alone", "us", (row) => at(row).alone_us, { help: "time in which no other stream of the device works" }),
      col("beside", "beside", "us", (row) => at(row).beside_us),
      textCol("depends", "next reads it", (row) => at(row).depends ?? "", { width: 84 }),
    ],
    sort: "-total",
  };
}

function fusions(rows: Fusion[]): Content {
  const at = (row: number): Fusion => rows[row] as Fusion;
  return {
    set: { count: rows.length, thing: (row) => ({ kind: "chain", id: [at(row).chain, at(row).module ?? "", at(row).shape].join(" | ") }), name: (row) => plainChain(at(row).chain), full: (row) => at(row).chain, look: () => "loss" },
    columns: [
      textCol("module", "in", (row) => at(row).module ?? "", { width: 110 }),
      textCol("shape", "shape", (row) => at(row).shape, { width: 100 }),
      col("count", "runs", "count", (row) => at(row).calls, { width: 52 }),
      col("total", "device", "us", (row) => at(row).device_us),
      col("gain", "gain ≤", "us", (row) => at(row).gain_us, { look: "loss", help: "what one kernel would gain at most" }),
      textCol("certainty", "known by", (row) => at(row).certainty, { width: 60 }),
    ],
    sort: "-gain",
  };
}

/** Rows of a phase that have a part of its time: few, so all are drawn. */
function Rows({ title, says, label, content, name }: { title: string; says: string; label: string; content: Content; name: string }) {
  const [sort, setSort] = useState(content.sort);
  return (
    <>
      <h2>{title} <span class="s">{says}</span></h2>
      {content.set.count ? <Grid label={label} set={content.set} columns={content.columns} sort={sort} onSort={setSort} nameTitle={name} nameLeast={160} whole /> : <p class="s">none</p>}
    </>
  );
}

function Phase({ head: h, a, short }: { head: Head; a: Answer; short: Map<string, string> }) {
  const of = <R extends { phase: string | null }>(rows: R[]): R[] => rows.filter((r) => r.phase === h.phase);
  const phase = h.phase ?? "all";
  const words = [
    h.step_us === null ? "" : `${counted(h.steps, "step")} of ${formatStep(h.step_us)}`,
    h.tokens_per_second === null ? "" : `${formatCount(Math.round(h.tokens_per_second))} tokens a second`,
    h.busy_share === null ? "" : `busy ${formatPercent(100 * h.busy_share)}`,
  ];
  return (
    <section class="phase" aria-label={phase}>
      <p class="big">{phase} <span class="s">{words.filter(Boolean).join(" · ")}</span></p>
      {h.bound && <p class="sentence">{spacedUnits(h.bound)}</p>}
      <Rows title="Kernels" says="of at least 1 % of the phase's device time, with the line that launches them" label={`Kernels, ${phase}`} content={kernels(of(a.rows), short)} name="kernel" />
      <Rows title="Overlap" says="collectives, copies and what ran beside something" label={`Overlap, ${phase}`} content={overlaps(of(a.overlap), short)} name="kernel" />
      <Rows title="Fusion" says="chains that one kernel could do" label={`Fusion, ${phase}`} content={fusions(of(a.fusion))} name="chain" />
    </section>
  );
}

export function TriagePlace({ of }: PlaceProps) {
  const path = profilePath(of.id, "views/triage?format=json");
  const loaded = useLoaded(path, () => jsonOnce<Answer>(path));
  return (
    <>
      <h1 class="away">Triage</h1>
      <Status of={loaded} missing>
        {(a) => {
          const names = a.columns.find((c) => c.short)?.short ?? [];
          const short = new Map(a.rows.map((r, i) => [r.name, names[i] ?? r.name]));
          return (
            <>
              {Boolean(a.notes?.length) && <p class="s says"><NoteLine notes={(a.notes ?? []).map(spacedUnits)} /></p>}
              {a.head.map((h) => <Phase key={h.phase ?? ""} head={h} a={a} short={short} />)}
              {!a.head.length && <p class="empty">Nothing ran on a device.</p>}
            </>
          );
        }}
      </Status>
    </>
  );
}
