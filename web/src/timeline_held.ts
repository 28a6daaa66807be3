// SPDX-License-Identifier: Apache-2.0
// The timeline of a report: one list of spans for all windows, and their arguments if every span is there.
import { cellText, json, profilePath, queryPath, table } from "./api";
import { ARGUMENTS_SQL, HELD_SPANS } from "./asks";
import { heldParts, whyNot } from "./held";
import type { Details, Items, LaneAnswer, Linked, Source, Sum, Window } from "./timeline";
import { firstRowOf, lastRowOf, makeItems, nameAt, readLanes } from "./timeline";

const LINKS_MOST = 100;

function linkedAt(d: Items, i: number, relation: string): Linked {
  return { relation, span: d.span[i] ?? 0, row: d.row[i] ?? 0, name: nameAt(d, i), start_us: d.start[i] ?? 0, duration_us: (d.end[i] ?? 0) - (d.start[i] ?? 0) };
}

function detailsOf(d: Items, lanes: Source["lanes"], span: number, args: Details["args"]): Details {
  const at = d.span as Float64Array;
  const [i, self, parent, launch] = [at.indexOf(span), d.t.column("self_us"), d.t.column("parent"), d.t.column("launch")];
  if (i < 0) throw new Error("This report does not hold that span; tfprof serve FILE shows it.");
  const row = d.row[i] ?? 0;
  const rows: Linked[] = [];
  for (const [relation, column] of [["parent", parent], ["launched by", launch]] as const) {
    const other = column && !column.absent?.[i] ? at.indexOf(column.values[i] ?? -1) : -1;
    if (other >= 0) rows.push(linkedAt(d, other, relation));
  }
  for (let k = 0; launch && k < d.count && rows.length < LINKS_MOST; k++)
    if (!launch.absent?.[k] && launch.values[k] === span) rows.push(linkedAt(d, k, "launches"));
  const lane = lanes.lanes.find((l) => row >= l.firstRow && row < l.firstRow + l.rows)?.name ?? "";
  const { start_us, duration_us, name } = linkedAt(d, i, "");
  const summary = { span, name, kind: cellText(d.kind, i), class: null, lane, row, start_us, duration_us, self_us: self && !self.absent?.[i] ? (self.values[i] ?? 0) : null, step: null, node: null };
  return { summary, args, rows };
}

/** The arguments of all spans; none where the report had no room for them. */
async function args(id: string, signal: AbortSignal): Promise<Map<number, Details["args"]>> {
  const by = new Map<number, Details["args"]>();
  const path = `${queryPath(id, ARGUMENTS_SQL)}&format=columns`;
  if (whyNot(heldParts(path))) return by;
  const t = await table(path, signal);
  const [spans, keys, values] = [t.column("span"), t.column("key"), t.column("value")];
  for (let i = 0; spans && keys && values && i < t.rows; i++) {
    const span = spans.values[i] ?? -1;
    const list = by.get(span) ?? [];
    list.push({ key: cellText(keys, i), value: cellText(values, i) });
    by.set(span, list);
  }
  return by;
}

function sumsIn(d: Items, w: Window): Sum[] {
  const sums = new Map<string, Sum>();
  for (let i = 0; i < d.count; i++) {
    const inside = Math.min(d.end[i] ?? 0, w.to) - Math.max(d.start[i] ?? 0, w.from);
    if (inside < 0) continue;
    const name = nameAt(d, i);
    const sum = sums.get(name) ?? { name, count: 0, total_us: 0 };
    sum.count += d.times[i] ?? 1;
    sum.total_us += Math.min(inside, d.busy[i] ?? 0);
    sums.set(name, sum);
  }
  return [...sums.values()].sort((a, b) => b.total_us - a.total_us);
}

/** By start; merged items are found by their common name. */
function matchesOf(d: Items, search: string): number[] {
  const word = search.toLowerCase();
  const found = Array.from({ length: d.count }, (_, i) => i).filter((i) => nameAt(d, i).toLowerCase().includes(word));
  return found.sort((a, b) => (d.start[a] ?? 0) - (d.start[b] ?? 0) || a - b);
}

export async function heldSource(id: string, step: string, signal: AbortSignal): Promise<Source> {
  const lanes = readLanes(await json<LaneAnswer>(profilePath(id, `lanes?step=${step}`), signal));
  const t = await table(profilePath(id, `spans?step=${step}&most=${HELD_SPANS}&format=columns`), signal);
  const about = { window: lanes.all, firstRow: firstRowOf(lanes), lastRow: lastRowOf(lanes), scale: Infinity };
  const whole = (search: string): Items => {
    const items = makeItems(t, { ...about, search });
    if (!items) throw new Error("this report is damaged");
    return items;
  };
  return {
    lanes,
    summary: t.notes.join(" "),
    items: (_w, _first, _last, _px, search) => Promise.resolve(whole(search)),
    details: async (span, stop) => detailsOf(whole(""), lanes, span, (await args(id, stop)).get(span) ?? []),
    sums: (w) => Promise.resolve(sumsIn(whole(""), w)),
    find(search, after, backward) {
      const d = whole("");
      const all = matchesOf(d, search);
      const here = after === null ? -1 : all.findIndex((i) => d.span[i] === after);
      const place = here < 0 ? 0 : here + (backward ? -1 : 1);
      const next = all[place];
      return Promise.resolve({ span: next === undefined ? -1 : (d.span[next] ?? -1), place: place + 1, matches: all.length });
    },
  };
}
