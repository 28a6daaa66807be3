// SPDX-License-Identifier: Apache-2.0
// Where time goes, as bars in bars: by scope, call or line; all places of a name together (sandwich); against another profile.
import { useMemo } from "preact/hooks";
import { isOfStacks, profile, profilePath, stepsInSums } from "../answers/api";
import { filterParams, tableOnce, useTable } from "../answers/data";
import { useWindows } from "../details/useWindows";
import { Picture } from "../flame/Picture";
import { matched } from "../flame/layout";
import { looksOf } from "../flame/looks";
import type { FlameBy, FlameTree, Measure } from "../flame/read";
import { BY_TIME, FLAMES, MEASURES, differences, readFlame, sandwich } from "../flame/read";
import { formatShare, formatUnit } from "../text/format";
import { notesOf } from "../text/notes";
import { isReport } from "../answers/embedded";
import { useLoaded } from "../answers/load";
import { NoteLine } from "../parts/NoteLine";
import { Status } from "../parts/Status";
import { useOverDevices } from "../results/steps";
import { change, filters, query, sel, state } from "../state/store";
import type { PlaceProps } from "./index";

function Choice({ name, value, all, onChoose }: { name: string; value: string; all: readonly { value: string; title: string }[]; onChoose: (to: string) => void }) {
  return (
    <label class="s choice">
      {name} <select value={value} onChange={(e) => onChoose(e.currentTarget.value)}>{all.map((a) => <option key={a.value} value={a.value}>{a.title}</option>)}</select>
    </label>
  );
}

const pathOf = (id: string, it: FlameBy, filter: string): string => profilePath(id, `views/${it.view}?max_depth=100000&order_by=${BY_TIME}${isReport ? "" : "&select=cpu_micros,accelerator_micros,bytes,params,occurrence"}${filter}&format=columns`);

/** Rows whose name has the text of the search. */
function findIn(of: FlameTree, text: string): Uint8Array | null {
  if (!text) return null;
  const wanted = text.toLowerCase();
  return Uint8Array.from({ length: of.tree.rows }, (_, row) => (of.name(row).toLowerCase().includes(wanted) ? 2 : 0));
}

function Matches({ of, found, measure }: { of: FlameTree; found: Uint8Array; measure: Measure }) {
  const time = useMemo(() => matched(of.tree, of.total, found), [of, found]);
  return <>{formatShare(time, of.whole)} of {measure.title} matches: {formatUnit(measure.unit, time)}</>;
}

/** The other profile's tree, with the number of its steps. */
function useOther(it: FlameBy, measure: Measure) {
  const { vs } = state.value;
  return useLoaded(`${vs} ${it.view} ${measure.name}`, async () => {
    if (!vs) return null;
    const facts = await profile(vs);
    return { tree: readFlame(await tableOnce(pathOf(vs, it, "")), it, measure), steps: stepsInSums(facts) };
  }).value;
}

function Shown({ of, it, path }: PlaceProps & { it: FlameBy; path: string }) {
  const loaded = useTable(path);
  const fits = useMemo(() => MEASURES.filter((m) => loaded.value && readFlame(loaded.value, it, m).whole > 0), [loaded.value, it]);
  const measure = fits.find((m) => m.name === state.value.more.of) ?? fits[0] ?? MEASURES[0];
  const whole = useMemo(() => loaded.value && readFlame(loaded.value, it, measure), [loaded.value, it, measure]);
  const other = useOther(it, measure);
  const kernels = useTable(measure.name === "device" && of.facts.has?.times ? profilePath(of.id, "views/kernel?format=columns") : "").value;
  const over = useOverDevices(of);
  const name = sel.value?.kind === it.kind ? (sel.value.id.split(it.kind === "call" ? " › " : "/").pop() ?? "") : "";
  const { side = "" } = state.value.more;
  const shown = useMemo(() => (whole && side && name ? sandwich(whole, name, side === "callers") : whole), [whole, side, name]);
  const look = useMemo(() => (shown && kernels ? looksOf(shown, kernels) : null), [shown, kernels]);
  const found = useMemo(() => shown && findIn(shown, query.value), [shown, query.value]);
  const delta = useMemo(() => (shown && other && !side ? differences(shown, other.tree, { now: stepsInSums(of.facts), before: other.steps }) : null), [shown, other, side]);
  return (
    <>
      <div class="bar-line">
        <Choice name="by" value={it.by} all={FLAMES.filter((f) => f.fits(of.facts)).map((f) => ({ value: f.by, title: f.title }))} onChoose={(to) => change({ by: to, more: { top: "" } })} />
        <Choice name="widths" value={measure.name} all={fits.map((m) => ({ value: m.name, title: m.title }))} onChoose={(to) => change({ more: { of: to } })} />
        {!isOfStacks(of.facts) && <Choice name="order" value={state.value.sort} all={[{ value: "", title: "heaviest first" }, { value: BY_TIME, title: "first start first" }]} onChoose={(to) => change({ sort: to })} />}
        {name && <Choice name="show" value={side} all={[{ value: "", title: "all" }, { value: "callees", title: "what the selected one holds" }, { value: "callers", title: "what holds it" }]} onChoose={(to) => change({ more: { side: to, top: "" } })} />}
        <span class="s" role="status">{found && shown && <Matches of={shown} found={found} measure={measure} />}</span>
      </div>
      <p class="s says"><NoteLine notes={notesOf(loaded.value)} /></p>
      {delta && <p class="s says">colours: slower and faster a step than the profile compared with</p>}
      <Status of={loaded} calm>{() => shown && (shown.whole > 0 ? <Picture of={shown} kind={it.kind} measure={measure} found={found ?? null} delta={delta} look={look} over={measure.name === "device" ? over : ""} /> : <p class="empty">Nothing ran in this time.</p>)}</Status>
    </>
  );
}

export function FlamePlace({ of }: PlaceProps) {
  const { steps } = filters.value;
  const windows = useWindows(of);
  const fits = FLAMES.filter((f) => f.fits(of.facts));
  const it = fits.find((f) => f.by === state.value.by) ?? fits[0];
  if (!it) return <p>This profile has no scopes, calls or lines.</p>;
  return (
    <div class="fillplace">
      <h1 class="away">Flame graph by {it.by}</h1>
      {(!steps || windows) && <Shown of={of} it={it} path={pathOf(of.id, it, filterParams(filters.value, windows ?? new Map()))} />}
    </div>
  );
}
