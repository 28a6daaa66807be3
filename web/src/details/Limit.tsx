// SPDX-License-Identifier: Apache-2.0
// How far an op, kernel, scope, layer or line is from what its device can do; the panels of a shape and of a chain of kernels.
import type { Opened } from "../state/opened";
import type { Named } from "../limits/content";
import { bytesPerSecond, perSecond, plainChain, rate } from "../limits/content";
import { ThingLink } from "../parts/Thing";
import type { LimitRow, LimitsSummary, ShapeRow } from "../results/limits";
import { KIND_BY, chainId, isOfLayer, limitsCover, overRanks, peaksOf, shapeId, useLimits } from "../results/limits";
import type { Loaded } from "../answers/load";
import type { Limits } from "../results/limits";
import { filters } from "../state/store";
import type { Thing } from "../state/store";
import { counted, formatBytes, formatMicros, formatPercent } from "../text/format";
import { FindingsOf, Head, PanelActions } from "./parts";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";

const BY_KIND = Object.fromEntries(Object.entries(KIND_BY).map(([by, kind]) => [kind, by])) as Partial<Record<string, Named>>;

/** What bounds it, with its rate and that of the device; the peak of float operations depends on the type, so that of a shape alone is known. */
function boundWords(row: LimitRow, s: LimitsSummary): string {
  if (row.bound === "latency") return "short kernels: they do less than the shortest one takes";
  if (row.bound === "compute") return `compute: ${perSecond(rate(row.float_ops, row) ?? 0)}`;
  return `memory: ${bytesPerSecond(rate(row.bytes_moved, row) ?? 0)}${s.peak_bandwidth ? ` of ${bytesPerSecond(s.peak_bandwidth)}` : ""}`;
}

function Judged({ row, s }: { row: LimitRow; s: LimitsSummary }) {
  if (row.ideal_us === null) return <p class="s">{row.calls ? "the limits of the device are not known" : `not judged${row.why ? `: ${row.why.replaceAll("|", ", ")}` : ""}`}</p>;
  return (
    <dl>
      <Pair word="of its limit">{row.efficiency === null ? "–" : formatPercent(100 * row.efficiency)}</Pair>
      <Pair word="could take">{formatMicros(row.ideal_us)} of {formatMicros(row.device_us - row.not_judged_us)}</Pair>
      <Pair word="lost">{formatMicros(row.loss_us ?? 0)}{row.loss_share !== null && `, ${formatPercent(100 * row.loss_share)} of all that is lost`}</Pair>
      <Pair word="bound by">{boundWords(row, s)}</Pair>
      {(row.latency_calls ?? 0) > 0 && row.bound !== "latency" && <Pair word="short kernels">{counted(row.latency_calls ?? 0, "call")}, {formatMicros(row.latency_us ?? 0)}</Pair>}
      {row.not_judged_us > 0 && <Pair word="not judged">{formatMicros(row.not_judged_us)}{row.why && <span class="s"> {row.why.replaceAll("|", ", ")}</span>}</Pair>}
    </dl>
  );
}

/** Its shapes and the chains in which it is, those that lose most. */
function OfOp({ of, op }: { of: Opened; op: string }) {
  const shapes = (useLimits(of, "shape").value?.rows ?? []).filter((r) => r.op === op).slice(0, 3);
  const chains = (useLimits(of, "chain").value?.rows ?? []).filter((r) => r.chain.split(" > ").includes(op) && r.gain_us !== null).slice(0, 2);
  return (
    <>
      {shapes.map((r) => <div key={shapeId(r)} class="pairrow"><ThingLink kind="shape" id={shapeId(r)}>{r.shape} {r.type}</ThingLink><span class="s">{r.efficiency === null ? "" : `${formatPercent(100 * r.efficiency)} of its limit, `}{formatMicros(r.device_us)}</span></div>)}
      {chains.map((r) => <p key={chainId(r)}>in <ThingLink kind="chain" id={chainId(r)}>{plainChain(r.chain)}</ThingLink>, which one kernel could do: at most {formatMicros(r.gain_us ?? 0)} to gain</p>)}
    </>
  );
}

/** The section of a panel; nothing where the trace has no shapes, or no device time of this thing. */
export function Limit({ of, thing }: { of: Opened; thing: Thing }) {
  const by = BY_KIND[thing.kind];
  const loaded = useLimits(of, by ?? "op") as Loaded<Limits | undefined>;
  const row = by && overRanks(loaded.value?.rows ?? [], filters.value.ranks).find((r) => r.name === thing.id);
  if (!by || !loaded.value || !row) return null;
  return (
    <Section name="Limit" aside={limitsCover(filters.value)}>
      <Judged row={row} s={loaded.value.summary} />
      {by === "op" && <OfOp of={of} op={thing.id} />}
    </Section>
  );
}

/** Modules that differ in numbers only; those that lose most. */
export function LayerPanel({ of, thing }: PanelProps) {
  const layer = overRanks(useLimits(of, "layer").value?.rows ?? [], filters.value.ranks).find((r) => r.name === thing.id);
  const modules = overRanks(useLimits(of, "module").value?.rows ?? [], filters.value.ranks).filter((r) => isOfLayer(r.name, thing.id));
  return (
    <>
      <Head kind="layer: modules that differ in numbers only" name={thing.id} big={layer ? formatMicros(layer.device_us) : "–"} says={layer ? `device time${layer.share === null ? "" : `, ${formatPercent(100 * layer.share)} of all`}` : "no such layer"} />
      <Limit of={of} thing={thing} />
      <Section name="Consists of" aside={counted(modules.length, "module")}>
        {modules.slice(0, 12).map((r) => <div key={r.name} class="pairrow"><ThingLink kind="scope" id={r.name}>{r.name}</ThingLink><span class="s">{r.efficiency === null ? "" : `${formatPercent(100 * r.efficiency)} of its limit, `}{formatMicros(r.device_us)}</span></div>)}
      </Section>
      <PanelActions of={of} thing={thing} best="In limits" />
    </>
  );
}

/** Kernels of a row, which are separated by bars. */
function Kernels({ names }: { names: string }) {
  return <Section name="Leads to">{names.split("|").filter(Boolean).map((n) => <div key={n}><ThingLink kind="kernel" id={n} full={n}>{n.length > 60 ? `${n.slice(0, 59)}…` : n}</ThingLink></div>)}</Section>;
}

const peakOf = (s: LimitsSummary | undefined, r: ShapeRow): number | undefined => peaksOf(s?.peak_flops ?? null).find((p) => p.type === r.type)?.flops;

export function ShapePanel({ of, thing }: PanelProps) {
  const loaded = useLimits(of, "shape");
  const r = loaded.value?.rows.find((row) => shapeId(row) === thing.id);
  if (!r) return <Head kind="shape" name={thing.id} says={loaded.busy ? "…" : "no call of this shape"} />;
  const peak = peakOf(loaded.value?.summary, r);
  return (
    <>
      <Head look="compute" kind={`shape of ${r.class === "attention" ? "an attention" : `a ${r.class}`}`} name={r.shape} full={thing.id} big={r.efficiency === null ? formatMicros(r.device_us) : formatPercent(100 * r.efficiency)} says={r.efficiency === null ? "device time" : "of what the device can do"} />
      <Section name="Numbers">
        <dl>
          <Pair word="device">{formatMicros(r.device_us)}{r.share !== null && `, ${formatPercent(100 * r.share)} of device time`}</Pair>
          {r.ideal_us !== null && <Pair word="could take">{formatMicros(r.ideal_us)}; {formatMicros(r.loss_us ?? 0)} lost</Pair>}
          <Pair word="calls">{counted(r.calls, "call")}, {formatMicros(r.mean_us)} <span class="s">({formatMicros(r.min_us)} – {formatMicros(r.max_us)})</span></Pair>
          <Pair word="rate">{perSecond(r.tflops_mean * 1e12)}{peak && <span class="s"> of {perSecond(peak)} ({r.type})</span>}</Pair>
          {r.bound && <Pair word="bound by">{r.bound}</Pair>}
          {r.transposed && <Pair word="A, B">{[...r.transposed].map((c) => (c === "t" ? "transposed" : "as they are")).join(", ")}</Pair>}
        </dl>
      </Section>
      <Section name="Comes from"><ThingLink kind="op" id={r.op}>{r.op}</ThingLink></Section>
      <Kernels names={r.kernels} />
      <FindingsOf of={of} names={[r.shape]} />
      <PanelActions of={of} thing={thing} best="In limits" also={[{ text: "In timeline", to: { place: "timeline", q: r.op } }]} />
    </>
  );
}

export function ChainPanel({ of, thing }: PanelProps) {
  const loaded = useLimits(of, "chain");
  const r = loaded.value?.rows.find((row) => chainId(row) === thing.id);
  if (!r) return <Head kind="chain of kernels" name={thing.id} says={loaded.busy ? "…" : "no such chain"} />;
  const calls = r.chain.split(" > ");
  return (
    <>
      <Head look="loss" kind="chain that one kernel could do" name={plainChain(r.chain)} big={r.gain_us === null ? formatMicros(r.device_us) : `≤ ${formatMicros(r.gain_us)}`} says={r.gain_us === null ? "device time" : `can be gained at most${r.gain_share === null ? "" : `, ${formatPercent(100 * r.gain_share)} of the steps`}`} />
      <Section name="Numbers">
        <dl>
          <Pair word="device">{formatMicros(r.device_us)}{r.share !== null && `, ${formatPercent(100 * r.share)} of device time`}</Pair>
          {r.fused_us !== null && <Pair word="one kernel">{formatMicros(r.fused_us)} <span class="s">at the limits of the device</span></Pair>}
          {r.same_rate_us !== null && <Pair word="as today">{formatMicros(r.same_rate_us)} <span class="s">gained if it moved its bytes as slowly as these do</span></Pair>}
          <Pair word="bytes">{formatBytes(r.bytes_saved)} of {formatBytes(r.bytes_moved)} <span class="s">would not be moved</span></Pair>
          <Pair word="runs">{counted(r.calls, "run")}, {counted(r.kernels, "kernel")}</Pair>
          <Pair word="shape">{r.shape}</Pair>
          <Pair word="known by">{r.certainty}</Pair>
        </dl>
      </Section>
      <Section name="Comes from"><p>{r.module ? `modules of type ${r.module}` : "in no module"}</p></Section>
      <Section name="Leads to">{[...new Set(calls)].map((op) => <div key={op}><ThingLink kind="op" id={op}>{op}</ThingLink></div>)}</Section>
      <FindingsOf of={of} names={[r.chain.slice(0, 60)]} />
      <PanelActions of={of} thing={thing} best="In limits" also={[{ text: "In timeline", to: { place: "timeline", q: calls[0] ?? "" } }]} />
    </>
  );
}
