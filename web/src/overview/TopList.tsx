// SPDX-License-Identifier: Apache-2.0
// The first rows of a table, with how often, how long, a bar and the share.
import { formatCount, formatMicros, formatPercent, formatUnit } from "../text/format";
import { NameText } from "../grid/Row";
import { NoteLine } from "../parts/NoteLine";
import { ThingLink } from "../parts/Thing";
import type { Column, RowSet } from "../grid/model";
import { visible } from "../grid/model";

interface Props {
  title: string;
  says: string;
  set: RowSet;
  by: Column;
  count?: Column | undefined;
  share: (row: number) => number | null;
  a: number; // steps by which sums are divided
  most?: number;
  notes?: string[]; // of the table, such as how much of the time has a known place
}

const times = (n: number): string => (Number.isInteger(n) || n >= 10 ? formatCount(Math.round(n)) : n.toFixed(1));

/** FILE:LINE without the file's folders; the middle of a long name is cut, so that the line number stays visible. */
const shortLine = (line: string): string => line.replace(/^.*\/(?=[^/]*:\d+)/, "").replace(/^([^:]{8})[^:]{6,}([^:]{8}:\d)/, "$1…$2");

export function TopList({ title, says, set, by, count, share, a, most = 7, notes }: Props) {
  const { rows } = visible({ ...set, parent: undefined }, [by], `-${by.name}`, "", () => false);
  const shown = [...rows].filter((row) => (by.value(row) ?? 0) > 0).slice(0, most);
  const longest = Math.max(0, ...shown.map((row) => by.value(row) ?? 0));
  if (!shown.length) return null;
  return (
    <div>
      <h2>{title} <span class="s">{says}</span></h2>
      {notes && notes.length > 0 && <p class="s"><NoteLine notes={notes} /></p>}
      {shown.map((row) => {
        const { kind, id } = set.thing(row);
        const value = by.value(row) ?? 0;
        const part = share(row);
        return (
          <div key={id} class={`toprow ${set.look?.(row) ?? "host"}`}>
            <span class="dot" />
            <ThingLink kind={kind} id={id} full={set.full(row)} class="nm"><NameText text={kind === "line" ? shortLine(set.name(row)) : set.name(row)} /></ThingLink>
            <span class="num">{count ? `${times((count.value(row) ?? 0) / a)}×` : ""}</span>
            <span class="num">{by.unit === "us" ? formatMicros(value / a) : formatUnit(by.unit, value)}</span>
            <span class="track" aria-hidden="true"><i style={{ width: `${(100 * value) / longest}%` }} /></span>
            <span class="num">{part === null ? "" : formatPercent(100 * part)}</span>
          </div>
        );
      })}
    </div>
  );
}
