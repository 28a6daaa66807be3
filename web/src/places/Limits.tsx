// SPDX-License-Identifier: Apache-2.0
// How far the device's time is from its limits: what is lost, by op, module, layer, line or kernel, beside the roofline; shapes and chains of kernels.
import { useMemo } from "preact/hooks";
import { isReport } from "../answers/embedded";
import type { Loaded } from "../answers/load";
import { Grid } from "../grid/Grid";
import { ROW } from "../grid/model";
import type { Named } from "../limits/content";
import { chainsContent, namedContent, shapesContent } from "../limits/content";
import { Headline, PartsBar } from "../limits/Headline";
import { Roofline } from "../limits/Roofline";
import { Actions } from "../parts/Actions";
import { NoteLine } from "../parts/NoteLine";
import { Status } from "../parts/Status";
import type { ChainRow, LimitRow, Limits, LimitsBy, ShapeRow } from "../results/limits";
import { limitsCover, limitsPath, overRanks, useLimits } from "../results/limits";
import { change, filters, hrefOf, state } from "../state/store";
import type { Content } from "../table/tables";
import { spacedUnits } from "../text/format";
import type { PlaceProps } from "./index";

const BY: { by: LimitsBy; title: string; name: string }[] = [
  { by: "op", title: "Ops", name: "op" },
  { by: "module", title: "Modules", name: "module" },
  { by: "layer", title: "Layers", name: "layer" },
  { by: "line", title: "Lines", name: "line" },
  { by: "kernel", title: "Kernels", name: "kernel" },
  { by: "shape", title: "Shapes", name: "shape" },
  { by: "chain", title: "Chains", name: "chain" },
];

const SHOWN = 14; // rows of a table; it scrolls for more
const FEW = 5; // rows below the first table
const LEAST = 160; // pixels of a name, so that there is room for bars and numbers

/** A table that is as high as its rows, up to a limit. `first`: the one that the address sorts. */
function Rows({ label, content, name, first, most = SHOWN }: { label: string; content: Content; name: string; first?: boolean; most?: number }) {
  const { sort, q, more } = state.value;
  const asked = useMemo(() => (more.columns ?? "").split(",").filter(Boolean), [more.columns]);
  return (
    <div style={{ height: `${(Math.min(most, content.set.count) + 1) * ROW + 2}px` }}>
      <Grid
        label={label}
        set={content.set}
        columns={content.columns}
        sort={(first && sort) || content.sort}
        onSort={(to) => change(first ? { sort: to } : { by: name, sort: to })}
        text={first ? q : ""}
        asked={first ? asked : []}
        nameTitle={name}
        nameLeast={LEAST}
      />
    </div>
  );
}

function Choice({ by }: { by: LimitsBy }) {
  return (
    <nav class="by" aria-label="Limits by">
      {BY.map((b) => <a key={b.by} href={hrefOf({ by: b.by, sort: "", open: [] })} aria-current={b.by === by ? "true" : undefined}>{b.title}</a>)}
    </nav>
  );
}

/** Peaks that the trace does not tell, as options of the command line. */
function Peaks() {
  const { more } = state.value;
  return (
    <form class="controls" onSubmit={(e) => e.preventDefault()}>
      {([["peak_flops", "312T"], ["peak_bandwidth", "2T"]] as const).map(([name, hint]) => (
        <label key={name} class="s choice">{name.replace("_", " ")} <input type="text" size={8} placeholder={hint} value={more[name] ?? ""} onChange={(e) => change({ more: { [name]: e.currentTarget.value.trim() } })} /></label>
      ))}
    </form>
  );
}

const ofRanks = <R extends { rank?: number }>(rows: R[], ranks: number[]): R[] => (ranks.length ? rows.filter((r) => r.rank === undefined || ranks.includes(r.rank)) : rows);

function Shapes({ rows, first }: { rows: ShapeRow[]; first?: boolean }) {
  const content = useMemo(() => shapesContent(rows), [rows]);
  if (!rows.length) return first ? <p class="empty">No product, convolution or attention with known shapes ran.</p> : null;
  return (
    <>
      {!first && <h2>Products, convolutions, attention <a class="lk s" href={hrefOf({ by: "shape", sort: "" })}>{rows.length > FEW ? `all ${rows.length} shapes` : "by shape"}</a></h2>}
      <Rows label="Shapes" content={content} name="shape" {...(first ? { first } : { most: FEW })} />
    </>
  );
}

function Chains({ rows, first }: { rows: ChainRow[]; first?: boolean }) {
  const content = useMemo(() => chainsContent(rows), [rows]);
  if (!rows.length) return first ? <p class="empty">No two calls after each other could be one kernel.</p> : null;
  return (
    <>
      {!first && <h2>Chains that one kernel could do <a class="lk s" href={hrefOf({ by: "chain", sort: "" })}>{rows.length > FEW ? `all ${rows.length} chains` : "by chain"}</a></h2>}
      <Rows label="Chains" content={content} name="chain" {...(first ? { first } : { most: FEW })} />
    </>
  );
}

function Lost({ limits, by, shapes, title }: { limits: Limits; by: Named; shapes: ShapeRow[]; title: string }) {
  const { ranks } = filters.value;
  const rows = useMemo(() => overRanks(limits.rows, ranks), [limits, ranks]);
  const content = useMemo(() => namedContent(rows, by, limits.summary.floor_us), [rows, by, limits]);
  const types = useMemo(() => [...new Set(shapes.map((s) => s.type))], [shapes]);
  const name = (row: LimitRow): string => content.set.name(rows.indexOf(row));
  return (
    <>
      <Headline limits={limits} rows={rows} by={by} name={name} />
      <p class="s says"><NoteLine before={limitsCover(filters.value)} notes={limits.notes.map(spacedUnits)} /></p>
      {limits.summary.ideal_us === null && !isReport && <Peaks />}
      <PartsBar rows={rows} floor={limits.summary.floor_us} />
      <div class="limits">
        <Rows label="Limits" content={content} name={title} first />
        <Roofline limits={limits} rows={rows} by={by} types={types} name={name} />
      </div>
    </>
  );
}

export function LimitsPlace({ of }: PlaceProps) {
  const it = BY.find((b) => b.by === state.value.by) ?? BY[0];
  const { ranks } = filters.value;
  const by = it && it.by !== "shape" && it.by !== "chain" ? it.by : "op";
  const named = useLimits(of, by) as Loaded<Limits | undefined>;
  const allShapes = useLimits(of, "shape").value?.rows;
  const allChains = useLimits(of, "chain").value?.rows;
  const [shapes, chains] = useMemo(() => [ofRanks(allShapes ?? [], ranks), ofRanks(allChains ?? [], ranks)], [allShapes, allChains, ranks]);
  if (!it) return null;
  if (!of.facts.has?.shapes) return <p class="empty">Limits need activities of a device and the shapes of inputs: record with torch.profiler.profile(record_shapes=True).</p>;
  const path = limitsPath(of.id, it.by).replace("format=json", "format=columns");
  return (
    <>
      <h1 class="away">Limits</h1>
      <div class="bar-line">
        <Choice by={it.by} />
        <span class="fill" />
        <Actions of={of} view="limits" path={path} columns={[]} />
      </div>
      <Status of={named} calm>
        {(limits) => {
          if (!limits) return null;
          if (it.by === "shape") return <Shapes rows={shapes} first />;
          if (it.by === "chain") return <Chains rows={chains} first />;
          return <><Lost key={by} limits={limits} by={by} shapes={shapes} title={it.name} /><Shapes rows={shapes} /><Chains rows={chains} /></>;
        }}
      </Status>
    </>
  );
}
