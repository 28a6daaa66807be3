// SPDX-License-Identifier: Apache-2.0
// The dataflow graph: closed scopes are boxes, open ones show their contents. Each box has its share of a column.
import type { ProfileFacts, Tables } from "../api";
import { profilePath, queryPath, table } from "../api";
import { EDGES_SQL } from "../asks";
import { useLoaded } from "../load";
import { Drawing } from "../parts/Drawing";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";

const VALUES = ["micros", "bytes", "peak_bytes", "params", "float_ops"];

export function Graph({ route, facts, tables }: { route: Route; facts: ProfileFacts; tables: Tables }) {
  const column = route.params.get("by") ?? (facts.steps.length ? "micros" : "params");
  const query = new URLSearchParams({ select: column, max_depth: "100000", format: "columns" });
  if (column === "float_ops") query.set("float_ops_source", "own");
  const scopes = profilePath(route.id, `views/scope?${query.toString()}`);
  const edges = `${queryPath(route.id, EDGES_SQL)}&format=columns`;
  const loaded = useLoaded(scopes + edges, async (signal, progress) => {
    const t = await table(scopes, signal, progress);
    return { t, e: await table(edges, signal) };
  });
  const known = VALUES.filter((v) => tables.columns.some((c) => c.name === v));
  return (
    <section class="old">
      <h1>Dataflow graph</h1>
      <Status of={loaded}>
        {({ t, e: edgesOf }) => {
          const total = t.column(`total_${column}`);
          const name = t.columns[0];
          if (!total || !name) return <p class="empty">There is no column {column}.</p>;
          return (
            <Drawing t={t} edges={edgesOf} route={route} total={total} name={name}>
              <label>
                Share of{" "}
                <select value={column} onChange={(e) => go(withParams(route, { by: e.currentTarget.value }))}>
                  {known.map((v) => <option key={v} value={v}>{v.replaceAll("_", " ")}</option>)}
                </select>
              </label>
            </Drawing>
          );
        }}
      </Status>
    </section>
  );
}
