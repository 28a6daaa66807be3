// SPDX-License-Identifier: Apache-2.0
// One row of a grid. It stands for a thing: a click selects it.
import type { ComponentChildren } from "preact";
import { ABSENT, formatUnit, signed } from "../text/format";
import { goToBest, isPlainClick } from "../parts/Thing";
import { hrefOf } from "../state/store";
import type { Column, RowSet } from "./model";
import { ROW, hasBar } from "./model";

interface Props {
  set: RowSet;
  row: number;
  index: number; // among the visible rows
  columns: Column[];
  sorted: Column | undefined;
  most: Map<Column, number>;
  style: Record<string, string>;
  chosen: boolean;
  focusable: boolean;
  depth: number; // -1: no tree
  opened: boolean | null; // null: it has nothing below it
  onPick: (row: number) => void;
  onTurn: (row: number, open: boolean) => void;
  lead: ((row: number) => ComponentChildren) | undefined;
  tail: ((row: number) => ComponentChildren) | undefined;
}

export function cellText(c: Column, row: number): string {
  if (c.text) return c.text(row) || ABSENT;
  const value = c.value(row);
  if (value === null) return ABSENT;
  return c.signed ? signed(formatUnit(c.unit, value), value) : formatUnit(c.unit, value);
}

function changeOf(c: Column, row: number): string {
  const by = c.signed ? (c.value(row) ?? 0) : 0;
  return by > 0 ? " worse" : by < 0 ? " better" : "";
}

/** The bar of a value's parts. */
function Segments({ c, row, most }: { c: Column; row: number; most: number }) {
  const parts = (c.segments?.(row) ?? []).filter((s) => s.value > 0);
  const said = parts.map((s) => `${s.title} ${formatUnit(c.unit, s.value)}`).join(", ");
  return (
    <span class="bar" role="img" aria-label={said} data-hint={said}>
      {parts.map((s) => <i key={s.title} class={`seg ${s.look}`} style={{ width: `${most ? (100 * s.value) / most : 0}%` }} />)}
    </span>
  );
}

function Cell({ c, row, sorted, most }: { c: Column; row: number; sorted: boolean; most: number }) {
  const value = c.text ? null : c.value(row);
  const text = cellText(c, row);
  return (
    <div role="gridcell" class={(c.text ? "nm" : "num") + changeOf(c, row)} data-column={c.name} data-value={value ?? undefined} data-hint={c.text ? text : undefined}>
      {sorted && hasBar(c) && <span class={`track ${c.look ?? ""}`} aria-hidden="true"><i style={{ width: `${most ? (100 * Math.abs(value ?? 0)) / most : 0}%` }} /></span>}
      {c.segments && <Segments c={c} row={row} most={most} />}
      {text}
    </div>
  );
}

/** Shows a name; the library of a kernel, after the dot, is grey. */
export function NameText({ text }: { text: string }) {
  const at = text.lastIndexOf(" · ");
  return at < 0 ? <>{text}</> : <>{text.slice(0, at)}<span class="s"> {text.slice(at + 3)}</span></>;
}

export function Row(p: Props) {
  const { set, row, columns } = p;
  const thing = set.thing(row);
  const [name, full] = [set.name(row), set.full(row)];
  const pick = (e: MouseEvent): void => {
    if (!isPlainClick(e) || (e.target as Element).closest("input,button")) return;
    e.preventDefault();
    p.onPick(row);
    (e.currentTarget as HTMLElement).focus({ preventScroll: true });
  };
  return (
    <div
      role="row"
      class={`r row ${set.look?.(row) ?? ""}`}
      style={{ ...p.style, top: `${p.index * ROW}px` }}
      tabIndex={p.focusable ? 0 : -1}
      aria-rowindex={p.index + 2}
      aria-level={p.depth >= 0 ? p.depth + 1 : undefined}
      aria-expanded={p.opened ?? undefined}
      aria-selected={p.chosen}
      data-kind={thing.kind}
      data-id={thing.id}
      data-full={full}
      onClick={pick}
      onDblClick={() => goToBest(thing)}
    >
      {p.lead && <div role="gridcell">{p.lead(row)}</div>}
      <div role="gridcell" class="nm" data-column="name" style={p.depth > 0 ? { paddingLeft: `${p.depth * 14}px` } : undefined}>
        {p.depth >= 0 && <span class="twist" aria-hidden="true" onClick={(e) => (p.opened !== null && (e.stopPropagation(), p.onTurn(row, !p.opened)))}>{p.opened === null ? "" : p.opened ? "▾" : "▸"}</span>}
        {set.look && <span class="dot" />}
        <a href={set.href?.(row) ?? hrefOf({ sel: thing })} tabIndex={-1} data-hint={full}><NameText text={name} /></a>
        {p.tail?.(row)}
      </div>
      {columns.map((c) => <Cell key={c.name} c={c} row={row} sorted={c === p.sorted} most={p.most.get(c) ?? 0} />)}
    </div>
  );
}
