// SPDX-License-Identifier: Apache-2.0
// What changed between two profiles: the step and its parts in one line, then what changed most, by kernel, op, scope, line or rank.
import { profiles } from "../answers/api";
import { Headline } from "../compare/Headline";
import type { ComparedBy, Side } from "../compare/sides";
import { COMPARED_BY, differencesOf, firstBy, rankCount, sideOf } from "../compare/sides";
import { Grid } from "../grid/Grid";
import { useLoaded } from "../answers/load";
import { nameOf } from "../state/opened";
import { Status } from "../parts/Status";
import { change, goTo, hrefOf, query, state } from "../state/store";
import type { PlaceProps } from "./index";

/** The profiles that this one can be compared with. */
function Sides({ of }: PlaceProps) {
  const list = useLoaded("profiles to compare", (signal) => profiles(signal));
  const others = list.value?.profiles.filter((p) => p.id !== of.id) ?? [];
  const names = others.map((p) => nameOf(p.name, p.files ?? []));
  return (
    <label class="s choice">
      before{" "}
      <select value={state.value.vs} onChange={(e) => change({ vs: e.currentTarget.value })}>
        <option value="">choose a profile…</option>
        {others.map((p, i) => <option key={p.id} value={p.id}>{names.indexOf(names[i] ?? "") === names.lastIndexOf(names[i] ?? "") ? names[i] : p.name}</option>)}
      </select>
    </label>
  );
}

function Differences({ before, now, it }: { before: Side; now: Side; it: ComparedBy }) {
  const loaded = useLoaded(`${before.id} ${now.id} ${it.by}`, () => differencesOf(before, now, it));
  const sort = state.value.sort || "-difference";
  return (
    <Status of={loaded} calm>
      {(c) => (c.set.count ? <Grid label="Differences" set={c.set} columns={c.columns} sort={sort} onSort={(to) => change({ sort: to })} text={query.value} nameTitle={it.kind} /> : <p class="empty">Neither side has any.</p>)}
    </Status>
  );
}

function Between({ before, now }: { before: Side; now: Side }) {
  const by = state.value.by || firstBy(before, now);
  const it = COMPARED_BY.find((b) => b.by === by) ?? COMPARED_BY[0];
  if (!it) return null;
  const ranks = it.by !== "rank" && Math.max(rankCount(before), rankCount(now)) > 1;
  return (
    <>
      <Headline before={before} now={now} />
      <div class="bar-line">
        <span class="s">before: {before.name} · now: {now.name} · a step{ranks && " and rank"}</span>
        <span class="fill" />
        <select aria-label="by" value={it.by} onChange={(e) => change({ by: e.currentTarget.value })}>{COMPARED_BY.map((b) => <option key={b.by} value={b.by}>{b.title}</option>)}</select>
        <a class="button" href={hrefOf({ place: "flame", vs: before.id })} onClick={(e) => (e.preventDefault(), goTo("flame", { vs: before.id }))}>As flame</a>
        <button type="button" onClick={() => change({ profile: before.id, vs: now.id, sel: null })}>Swap</button>
      </div>
      <Differences before={before} now={now} it={it} />
    </>
  );
}

function Compared({ of, vs }: PlaceProps & { vs: string }) {
  const sides = useLoaded(`${vs} ${of.id}`, () => Promise.all([sideOf(vs), sideOf(of.id)]));
  return (
    <Status of={sides}>
      {([before, now]) => <Between before={before} now={now} />}
    </Status>
  );
}

export function ComparePlace({ of }: PlaceProps) {
  const { vs } = state.value;
  return (
    <div class="fillplace">
      <h1 class="away">Compare</h1>
      <div class="bar-line"><Sides of={of} /></div>
      {vs ? <Compared of={of} vs={vs} /> : <p class="empty">Choose a profile to compare {of.name} with.</p>}
    </div>
  );
}
