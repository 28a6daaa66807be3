// SPDX-License-Identifier: Apache-2.0
// Finds the row of a table that stands for a thing, with the filters that apply to the table.
import { useMemo } from "preact/hooks";
import { useTable } from "../answers/data";
import type { Column } from "../grid/model";
import type { Opened } from "../state/opened";
import { filteredPath } from "../places/Table";
import { filters } from "../state/store";
import type { Thing } from "../state/store";
import type { Content } from "../table/tables";
import { TABLES } from "../table/tables";
import { useWindows } from "./useWindows";

export interface TableRow {
  content: Content | undefined;
  row: number; // -1: not in this table
  busy: boolean;
  value: (column: string) => number | null;
}

export function useRow(of: Opened, thing: Thing, by: string = thing.kind): TableRow {
  const { ranks, steps } = filters.value;
  const windows = useWindows(of);
  const it = TABLES.find((t) => t.by === by);
  const ready = it?.fits(of.facts) && (windows || !steps);
  const loaded = useTable(it && ready ? filteredPath(of.id, it, windows ?? new Map()) : "");
  return useMemo(() => {
    const content = loaded.value && it?.read(loaded.value, ranks);
    let row = -1;
    for (let i = 0; content && row < 0 && i < content.set.count; i++) if (content.set.thing(i).id === thing.id) row = i;
    const column = (name: string): Column | undefined => content?.columns.find((c) => c.name === name);
    return { content, row, busy: loaded.busy, value: (name) => (row < 0 ? null : (column(name)?.value(row) ?? null)) };
  }, [loaded.value, loaded.busy, it, ranks, thing.id]);
}

/** What the numbers cover if filters are active. */
export function filterWords(): string {
  const { ranks, steps, range, device } = filters.value;
  const words = [ranks.length ? `rank ${ranks.join(", ")}` : "", steps ? (steps.from === steps.to ? `step ${steps.from}` : `steps ${steps.from}–${steps.to}`) : "", range ? "the range" : "", device];
  return words.filter(Boolean).join(", ");
}
