// SPDX-License-Identifier: Apache-2.0
// Facts that only memory snapshots of PyTorch have: the allocation that failed, what would have to be freed, and the use of the allocator's segments.
import { useMemo } from "preact/hooks";
import type { Table } from "../answers/api";
import { profilePath, text } from "../answers/api";
import { useTable } from "../answers/data";
import { Grid } from "../grid/Grid";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { FactLines, firstPart } from "../parts/FactLines";
import { Status } from "../parts/Status";
import type { Content } from "../table/tables";
import { col, numbers, texts } from "../table/read";

/** The sentences above the table, as the command line has them. */
export function HeapFacts({ of }: { of: Opened }) {
  const path = profilePath(of.id, "views/memory?by=segment&format=text");
  const told = useLoaded(path, (signal) => text(path, signal));
  return told.value ? <div class="old"><FactLines lines={firstPart(told.value)[0]} /></div> : null;
}

/** Free bytes that lie in other pieces than the largest one: a request that needs more than this piece takes a new segment. */
function segmentsOf(t: Table, device: string): Content {
  const [where, type, pool] = [texts(t, "device"), texts(t, "type"), texts(t, "pool")];
  const [stream, segments, total] = [numbers(t, "stream"), numbers(t, "segments"), numbers(t, "total_bytes")];
  const [active, free, largest] = [numbers(t, "active_bytes"), numbers(t, "free_bytes"), numbers(t, "largest_free_bytes")];
  const rows = Array.from({ length: t.rows }, (_, i) => i).filter((row) => where(row) === device);
  const at = (row: number): number => rows[row] ?? 0;
  const name = (row: number): string => `${type(at(row)) || "all"}, stream ${stream(at(row)) ?? 0}${pool(at(row)) && pool(at(row)) !== "0,0" ? `, pool ${pool(at(row))}` : ""}`;
  return {
    set: { count: rows.length, thing: (row) => ({ kind: "tensor", id: name(row) }), name, full: name, look: () => "memory" },
    columns: [
      col("count", "segments", "count", (row) => segments(at(row)), { width: 64 }),
      col("total", "reserved", "bytes", (row) => total(at(row)), { width: 66, help: "taken from the device" }),
      col("bytes", "active", "bytes", (row) => active(at(row)), { width: 66, help: "in blocks that tensors hold, or that a stream still uses" }),
      col("free", "free", "bytes", (row) => free(at(row)), { width: 66, help: "in blocks that can be given out" }),
      col("largest", "largest free", "bytes", (row) => largest(at(row)), { width: 76, help: "more in one piece needs a new segment" }),
      col("share", "in pieces", "share", (row) => pieces(free(at(row)), largest(at(row))), { width: 60, help: "of what is free: not in the largest piece" }),
    ],
    sort: "", // as the report has them
  };
}

const pieces = (free: number | null, largest: number | null): number | null => (free ? (free - (largest ?? 0)) / free : null);

/** How fragmented the device's segments are at the end of the recording. */
export function Segments({ of, device }: { of: Opened; device: string }) {
  const loaded = useTable(profilePath(of.id, "views/memory?by=segment&format=columns"));
  const content = useMemo(() => loaded.value && segmentsOf(loaded.value, device), [loaded.value, device]);
  return (
    <>
      <h2>Segments at the end</h2>
      <Status of={loaded} calm>{() => content && <Grid label="Segments" set={content.set} columns={content.columns} sort={content.sort} onSort={() => undefined} text="" nameTitle="segments" whole every nameLeast={220} onPick={() => undefined} />}</Status>
    </>
  );
}
