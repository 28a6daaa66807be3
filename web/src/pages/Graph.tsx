// SPDX-License-Identifier: Apache-2.0
// The dataflow graph: closed scopes are boxes, open ones show their contents. Each box has its share of a column.
import type { Column } from "../answers/api";
import { profilePath, queryPath, table } from "../answers/api";
import { EDGES_SQL } from "../answers/asks";
import { useLoaded } from "../answers/load";
import { Drawing } from "../graph/Drawing";
import { Status } from "../parts/Status";
import type { Route } from "../state/route";
import { go, withParams } from "../state/route";

/** The quantities whose shares boxes show; host and device time are never added. */
const VALUES = [
  { name: "accelerator_micros", title: "device time" }, { name: "cpu_micros", title: "host time" }, { name: "bytes", title: "memory" },
  { name: "params", title: "parameters" }, { name: "float_ops", title: "float operations" },
];
const TOGETHER = "accelerator_micros,cpu_micros,bytes,params"; // one request; float operations are computed from the graph by another

export function Graph({ route }: { route: Route }) {
  const asked = VALUES.find((v) => v.name === route.params.get("by"))?.name ?? "";
  const query = new URLSearchParams({ select: asked === "float_ops" ? asked : TOGETHER, max_depth: "100000", order_by: "start", format: "columns" }); // the order of a report, so that both draw the same
  if (asked === "float_ops") query.set("float_ops_source", "own");
  const scopes = profilePath(route.id, `views/scope?${query.toString()}`);
  const edges = `${queryPath(route.id, EDGES_SQL)}&format=columns`;
  const loaded = useLoaded(scopes + edges, async (signal, progress) => {
    const t = await table(scopes, signal, progress);
    return { t, e: await table(edges, signal) };
  });
  return (
    <section class="fillplace">
      <h1 class="away">Dataflow graph</h1>
      <Status of={loaded}>
        {({ t, e: edgesOf }) => {
          const totalOf = (of: string): Column | undefined => t.column(`total_${of}`);
          const column = asked || (VALUES.find((v) => (totalOf(v.name)?.values[0] ?? 0) > 0)?.name ?? "params");
          const total = totalOf(column);
          const name = t.columns[0];
          if (!total || !name) return <p class="empty">There is no column {column}.</p>;
          return (
            <Drawing t={t} edges={edgesOf} total={total} name={name}>
              <label class="s choice">
                share of{" "}
                <select value={column} onChange={(e) => go(withParams(route, { by: e.currentTarget.value }))}>
                  {VALUES.map((v) => <option key={v.name} value={v.name}>{v.title}</option>)}
                </select>
              </label>
            </Drawing>
          );
        }}
      </Status>
    </section>
  );
}
