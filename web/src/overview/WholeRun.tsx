// SPDX-License-Identifier: Apache-2.0
// A profile without steps: the time of the whole run, or the size of its graph.
import type { Table } from "../answers/api";
import { formatCount, formatMicros } from "../text/format";
import { Quantity } from "../parts/Quantity";
import type { Opened } from "../state/opened";
import { numbers, sum } from "../table/read";

export function WholeRun({ of, ops }: { of: Opened; ops: Table | undefined }) {
  const host = ops ? sum(numbers(ops, "cpu_micros"), ops.rows) : 0;
  const device = ops ? sum(numbers(ops, "accelerator_micros"), ops.rows) : 0;
  const params = ops ? sum(numbers(ops, "params"), ops.rows) : 0;
  const time = device > 0 ? device : host;
  return (
    <>
      <div class="big">{time > 0 ? `${formatMicros(time)} in ops` : params > 0 ? <><Quantity name="parameters" of="all" value={params} unit="count" /> parameters</> : `${formatCount(of.facts.nodes)} ops`}</div>
      <p class="sentence">
        {time > 0 ? `Time of the ${device > 0 ? "device" : "host"} in operations, the whole run; no steps were marked.` : "Nothing was run: this profile has a graph, without times."}
        {" "}{of.facts.nodes > 0 && `${formatCount(of.facts.nodes)} operations.`}
      </p>
    </>
  );
}
