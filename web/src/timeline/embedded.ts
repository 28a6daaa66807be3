// SPDX-License-Identifier: Apache-2.0
// The timeline of a report: all its spans are in the page, which answers from them as the server would.
import { cellText, json, profilePath, queryPath, table } from "../answers/api";
import { ARGUMENTS_SQL, EMBEDDED_SPANS } from "../answers/asks";
import { embeddedParts, whyNot } from "../answers/embedded";
import type { Details, Items, LaneAnswer, Linked, Source } from "./data";
import { firstAfter, makeItems, nameAt, readLanes, shortAt } from "./data";
import type { Leaves } from "./sums";
import { readLeaves, sumsOf } from "./sums";
import { has } from "./scene";
import type { Window } from "../state/store";

const LINKS_MOST = 100;

function linkedAt(d: Items, i: number, relation: string): Linked {
  return { relation, span: d.span[i] ?? 0, row: d.row[i] ?? 0, name: nameAt(d, i), start_us: d.start[i] ?? 0, duration_us: (d.end[i] ?? 0) - (d.start[i] ?? 0) };
}

// names of libraries, for which the server has a longer list
const LIBRARY = /(^|\/)(site|dist)-packages\/|\/lib\/python|^(torch|jax|tensorflow|keras|numpy)\/|^</;

/** The Python functions around an item, except the one that is shown. */
function framesAround(d: Items, lanes: Source["lanes"], host: number, shown: number): Linked[] {
  const row = d.row[host] ?? -1;
  const lane = lanes.lanes.find((l) => row >= l.firstRow && row < l.firstRow + l.rows);
  const out: Linked[] = [];
  for (let k = 0; lane && k < d.count; k++) {
    const on = (d.row[k] ?? 0) >= lane.firstRow && (d.row[k] ?? 0) < lane.firstRow + lane.rows;
    if (on && k !== shown && k !== host && (d.start[k] ?? 0) <= (d.start[host] ?? 0) && (d.end[k] ?? 0) >= (d.end[host] ?? 0) && cellText(d.kind, k) === "frame") out.push(linkedAt(d, k, LIBRARY.test(nameAt(d, k)) ? "library frame" : "frame"));
  }
  return out.slice(-LINKS_MOST);
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
  const lane = lanes.lanes.find((l) => row >= l.firstRow && row < l.firstRow + l.rows);
  const { start_us, duration_us, name } = linkedAt(d, i, "");
  rows.push(...framesAround(d, lanes, launch && !launch.absent?.[i] ? at.indexOf(launch.values[i] ?? -1) : i, i));
  const step = lanes.steps.find((s) => start_us >= s.from && start_us < s.to)?.step ?? null;
  const kind = d.class ? cellText(d.class, i) : "";
  const summary = {
    span, name, kind: cellText(d.kind, i), class: kind || null, lane: [lane?.name, lane?.detail].filter(Boolean).join(" · "), row, start_us, duration_us,
    self_us: self && !self.absent?.[i] ? (self.values[i] ?? 0) : null, step, node: null,
  };
  return { summary, args, rows };
}

/** The arguments of all spans; none if the report had no room for them. */
async function args(id: string, signal: AbortSignal): Promise<Map<number, Details["args"]>> {
  const by = new Map<number, Details["args"]>();
  const path = `${queryPath(id, ARGUMENTS_SQL)}&format=columns`;
  if (whyNot(embeddedParts(path))) return by;
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

/** The items of a window: neighbours narrower than a pixel are merged, as the server does it
 * (src/views/timeline/window.c). */
export function windowOf(d: Items, w: Window, rows: string, px: number): Items {
  const scale = px / (w.to - w.from);
  const pick: number[] = [];
  const times: number[] = [];
  const ends: number[] = [];
  const busy: number[] = [];
  const about = { ...d, rows };
  for (const [row, [first, last]] of d.at) {
    if (!has(about, row)) continue;
    for (let i = firstAfter(d, first, last, w.from), next; i < last && (d.start[i] ?? 0) < w.to; i = next) {
      const until = w.from + (Math.floor(((d.start[i] ?? 0) - w.from) * scale) + 1) / scale;
      let [longest, sum, count] = [i, 0, 0];
      for (next = i; next < last; next++) {
        const narrow = ((d.end[next] ?? 0) - (d.start[next] ?? 0)) * scale < 1;
        if (next > i && (!narrow || (d.start[next] ?? 0) >= until)) break;
        sum += d.busy[next] ?? 0;
        count += d.times[next] ?? 1;
        if ((d.end[next] ?? 0) - (d.start[next] ?? 0) > (d.end[longest] ?? 0) - (d.start[longest] ?? 0)) longest = next;
        if (narrow) continue;
        next++;
        break;
      }
      pick.push(next - i > 1 ? longest : i);
      times.push(count);
      ends.push(d.end[next - 1] ?? 0);
      busy.push(sum);
    }
  }
  return picked(d, { window: w, rows, scale, search: d.search }, pick, times, ends, busy);
}

function picked(d: Items, about: Pick<Items, "window" | "rows" | "scale" | "search">, pick: number[], times: number[], ends: number[], busy: number[]): Items {
  const of = (list: ArrayLike<number>): Float64Array => Float64Array.from(pick, (i) => list[i] ?? 0);
  const column = <T extends Items["name"] | undefined>(c: T): T => c && { ...c, values: Uint32Array.from(pick, (i) => c.values[i] ?? 0), absent: c.absent && Uint8Array.from(pick, (i) => c.absent?.[i] ?? 0) };
  const at = new Map<number, [number, number]>();
  pick.forEach((i, k) => {
    const row = d.row[i] ?? 0;
    at.set(row, [at.get(row)?.[0] ?? k, k + 1]);
  });
  return {
    ...about, count: pick.length, row: of(d.row), span: of(d.span), times, start: of(d.start), end: Float64Array.from(ends), busy, name: column(d.name), short: column(d.short),
    kind: column(d.kind), class: column(d.class), found: d.found && of(d.found), at, t: d.t,
  };
}

/** Sorted by start; merged items are found by their common name. */
function matchesOf(d: Items, search: string): number[] {
  const word = search.toLowerCase();
  const found = Array.from({ length: d.count }, (_, i) => i).filter((i) => nameAt(d, i).toLowerCase().includes(word) || shortAt(d, i).toLowerCase().includes(word));
  return found.sort((a, b) => (d.start[a] ?? 0) - (d.start[b] ?? 0) || a - b);
}

const leaves = new WeakMap<Items, Leaves>();

/** Above a number of spans a report holds a summary of them, of which there are no sums: one sentence instead of them. */
export function noSums(fault: unknown): never {
  throw new Error(`This report has no sums of a range: ${fault instanceof Error ? fault.message.replace(/\.$/, "") : String(fault)}. tfprof serve FILE has them.`);
}

async function leavesOf(id: string, step: string, d: Items, signal: AbortSignal): Promise<Leaves> {
  const known = leaves.get(d) ?? readLeaves(await table(profilePath(id, `leaves?step=${step}&most=${EMBEDDED_SPANS}&format=columns`), signal).catch(noSums), d);
  leaves.set(d, known);
  return known;
}

export async function embeddedSource(id: string, step: string, signal: AbortSignal): Promise<Source> {
  const lanes = readLanes(await json<LaneAnswer>(profilePath(id, `lanes?step=${step}`), signal));
  const t = await table(profilePath(id, `spans?step=${step}&most=${EMBEDDED_SPANS}&format=columns`), signal);
  const made = new Map<string, Items>(); // by search; the last one is kept
  const whole = (search: string): Items => {
    const items = made.get(search) ?? makeItems(t, { window: lanes.all, rows: "", scale: Infinity, search });
    if (!items) throw new Error("this report is damaged");
    if (!made.has(search)) made.clear();
    made.set(search, items);
    return items;
  };
  return {
    lanes,
    summary: t.notes.join(" "),
    items: (w, rows, px, search) => Promise.resolve(windowOf(whole(search), w, rows, px)),
    details: async (span, stop) => detailsOf(whole(""), lanes, span, (await args(id, stop)).get(span) ?? []),
    sums: async (w, by, search, rows, stop) => {
      const d = whole("");
      return sumsOf(await leavesOf(id, step, d, stop), d, lanes, w, by, search, rows);
    },
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
