// SPDX-License-Identifier: Apache-2.0
// A report as a table: its notes, then its rows, searched and sorted as the address says.
import { useMemo } from "preact/hooks";
import type { Column, Table } from "../answers/api";
import type { Route } from "../state/route";
import { go, withParams } from "../state/route";
import { TreeTable } from "../tree/TreeTable";

const STRUCTURE = new Set(["row", "parent", "depth", "accounted"]);

interface Props {
  t: Table;
  route: Route;
  label: string;
  sort?: string; // the default order, when the address has none
  fits?: (column: Column) => boolean;
  openDepth?: number;
  shortName?: boolean;
  onPick?: ((row: number) => void) | undefined;
  pickHint?: string | undefined;
}

export function ReportTable({ t, route, label, sort, fits, openDepth = 1, ...more }: Props) {
  const by = route.params.get("sort") ?? sort ?? "";
  const columns = useMemo(() => t.columns.slice(1).filter((c) => !STRUCTURE.has(c.name) && (fits?.(c) ?? true)), [t, by]);
  return (
    <>
      {t.notes.map((note) => <p key={note} class="note">{note}</p>)}
      <TreeTable
        table={t}
        columns={columns}
        label={label}
        search={route.params.get("q") ?? ""}
        sort={by}
        onSort={(next) => go(withParams(route, { sort: next || null }))}
        openDepth={openDepth}
        {...more}
      />
    </>
  );
}
