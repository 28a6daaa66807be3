// SPDX-License-Identifier: Apache-2.0
// Memory over time, and who held it at the peak or at the time that was clicked: by scope, op, line or tensor.
import { useMemo } from "preact/hooks";
import type { Table } from "../answers/api";
import { isOfHeap, profilePath } from "../answers/api";
import { useTable } from "../answers/data";
import { formatBytes, formatMicros } from "../text/format";
import { Grid } from "../grid/Grid";
import type { Column } from "../grid/model";
import { isReport, reportStep } from "../answers/embedded";
import type { Opened } from "../state/opened";
import { CurvePicture } from "../memory/CurvePicture";
import type { Curve } from "../memory/curve";
import { curvesOf, indexAt } from "../memory/curve";
import { HeapFacts, Segments } from "../memory/Heap";
import { Actions } from "../parts/Actions";
import { Quantity } from "../parts/Quantity";
import { Status } from "../parts/Status";
import type { Kind, Thing } from "../state/store";
import { change, filters, query, state } from "../state/store";
import type { Content } from "../table/tables";
import { col, numbers, plainName, texts, textCol } from "../table/read";
import type { PlaceProps } from "./index";

interface HoldersBy {
  by: string;
  title: string;
  kind: Kind;
  name: string;
  fits?: (of: Opened) => boolean;
}

const hasRun = (of: Opened): boolean => !isOfHeap(of.facts);

/** In a trace single allocations are known; in TensorFlow's files, what each node held. */
const BY: HoldersBy[] = [
  { by: "scope", title: "by scope", kind: "scope", name: "scope", fits: hasRun },
  { by: "op", title: "by op", kind: "op", name: "op", fits: hasRun },
  { by: "line", title: "by line", kind: "line", name: "line" },
  { by: "category", title: "by category", kind: "tensor", name: "category", fits: hasRun },
  { by: "tensor", title: "by tensor", kind: "tensor", name: "name", fits: (of) => of.facts.has?.trace ?? false },
  { by: "node", title: "by tensor", kind: "tensor", name: "name", fits: (of) => hasRun(of) && !of.facts.has?.trace },
];

/** The lifetime of each allocation; one that is still held at the end has no end. */
function lifetimes(t: Table, at: (row: number) => number): Column[] {
  return ["lifetime", "from", "until"].map((name) => {
    const value = numbers(t, `${name}_us`);
    return col(name, name, "us", (row) => value(at(row)), { width: 64 });
  });
}

/** The holders on one device. */
function holdersOf(t: Table, device: string, it: HoldersBy): Content {
  const where = texts(t, "device");
  const rows = Array.from({ length: t.rows }, (_, i) => i).filter((row) => (where(row) || "memory") === device);
  const column = t.column(it.name) ? it.name : (t.columns.find((c) => c.type === "text" && c.name !== "device")?.name ?? it.name);
  const name = texts(t, column);
  const at = (row: number): number => rows[row] ?? 0;
  const [bytes, share, count, op, span] = [numbers(t, "bytes"), numbers(t, "share"), numbers(t, "holders"), texts(t, "op"), numbers(t, "span")];
  const thing = (row: number): Thing => {
    const by = it.by === "tensor" ? span(at(row)) : null; // the span that allocated it tells where it comes from
    return by === null ? { kind: it.kind, id: name(at(row)) } : { kind: "span", id: String(by) };
  };
  return {
    set: { count: rows.length, thing, name: (row) => plainName(name(at(row))) || "without a name", full: (row) => name(at(row)), look: () => "memory" },
    columns: [
      col("bytes", "bytes", "bytes", (row) => bytes(at(row))),
      col("share", "share", "share", (row) => share(at(row)), { width: 64, help: "of what the device held then" }),
      ...(it.by === "tensor" ? lifetimes(t, at) : [col("count", "holders", "count", (row) => count(at(row)), { width: 64, help: "ops that held it" })]),
      ...(it.name === "name" ? [textCol("op", "op", (row) => op(at(row)), { width: 140 })] : []),
    ],
    sort: "-bytes",
  };
}

function Holders({ of, curve, by, step }: PlaceProps & { curve: Curve; by: HoldersBy; step: string }) {
  const { at } = state.value.more;
  const path = profilePath(of.id, `views/memory?by=${by.by}${at && !isReport ? `&at=${at}` : ""}${step}&format=columns`);
  const loaded = useTable(path);
  const content = useMemo(() => loaded.value && holdersOf(loaded.value, curve.device, by), [loaded.value, curve, by]);
  return (
    <>
      <Status of={loaded} calm>
        {() => content && <Grid label="Holders" set={content.set} columns={content.columns} sort={state.value.sort || content.sort} onSort={(to) => change({ sort: to })} text={query.value} nameTitle={by.name === "name" ? "tensor" : by.name} />}
      </Status>
    </>
  );
}

function Device({ of, curves, curve, step }: PlaceProps & { curves: Curve[]; curve: Curve; step: string }) {
  const fits = BY.filter((b) => b.fits?.(of) ?? true);
  const by = fits.find((b) => b.by === state.value.by) ?? (fits[0] as HoldersBy);
  const [asked, peakAt, peak] = [Number(state.value.more.at || NaN), curve.at[curve.peak] ?? 0, curve.held[curve.peak] ?? 0];
  const at = Number.isFinite(asked) ? asked : peakAt;
  const path = profilePath(of.id, `views/memory?by=${by.by}&format=columns`);
  return (
    <>
      {of.facts.has?.heap && <HeapFacts of={of} />}
      <div class="bar-line">
        <span><Quantity name="memory.peak" of={filters.value.device === "" && curve === curves[0] ? "all" : `device:${curve.device}`} value={peak} unit="bytes" class="num-big" /> at the peak, {formatMicros(peakAt)}{curves.length > 1 && <span class="s"> · {curve.device}</span>}</span>
        {curves.length > 1 && <select aria-label="device" value={curve.device} onChange={(e) => change({ more: { on: e.currentTarget.value, at: "" } })}>{curves.map((c) => <option key={c.device}>{c.device}</option>)}</select>}
        <span class="fill" />
        <select aria-label="holders by" value={by.by} onChange={(e) => change({ by: e.currentTarget.value })}>{fits.map((b) => <option key={b.by} value={b.by}>{b.title}</option>)}</select>
        <Actions of={of} view="memory" path={path} columns={[]} />
      </div>
      <CurvePicture curve={curve} at={at} range={filters.value.range} onAt={(us) => change({ more: { at: us.toFixed(0) } })} onRange={(range) => change({ sel: null, range })} />
      <p class="s says">
        {Number.isFinite(asked) ? `${formatBytes(curve.held[indexAt(curve, at)] ?? 0)} held at ${formatMicros(at)}` : `held at the peak, ${formatMicros(at)}`} · {curve.device}
        {Number.isFinite(asked) && <> <button type="button" onClick={() => change({ more: { at: "" } })}>At the peak</button></>}
      </p>
      <Holders of={of} curve={curve} by={by} step={step} />
      {of.facts.has?.heap && <Segments of={of} device={curve.device} />}
    </>
  );
}

/** An address may lead here even if nothing was recorded. */
export function MemoryPlace({ of }: PlaceProps) {
  if (of.facts.has?.memory) return <Recorded of={of} />;
  return (
    <>
      <h1 class="away">Memory</h1>
      <p class="empty">No memory was recorded. PyTorch: profile(profile_memory=True); TensorFlow and JAX: a trace of a device that tells its allocations.</p>
    </>
  );
}

function Recorded({ of }: PlaceProps) {
  const { steps, device } = filters.value;
  const last = of.facts.has?.trace ? undefined : of.facts.steps[of.facts.steps.length - 1];
  const one = isReport ? reportStep : (steps?.from ?? last ?? "");
  const step = one === "" ? "" : `&step=${one}`;
  const loaded = useTable(profilePath(of.id, `views/memory?by=time${step}&format=columns`));
  const curves = useMemo(() => (loaded.value ? curvesOf(loaded.value) : []), [loaded.value]);
  // TensorFlow's files have the devices of their memory with the task: /job:localhost/replica:0/task:0/device:gpu:0
  const curve = curves.find((c) => c.device === state.value.more.on) ?? (device ? curves.find((c) => `:${c.device}`.endsWith(`:${device}`)) : curves[0]);
  return (
    <div class="fillplace">
      <h1 class="away">Memory</h1>
      <Status of={loaded}>{() => (curve ? <Device of={of} curves={curves} curve={curve} step={step} /> : <p class="empty">{device && curves.length ? `Of ${device} no memory was recorded; of ${curves.map((c) => c.device).join(", ")} it was.` : "No device held memory in this time."}</p>)}</Status>
    </div>
  );
}
