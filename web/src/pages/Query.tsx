// SPDX-License-Identifier: Apache-2.0
// Questions in SQL over the tables of the profile.
import { useState } from "preact/hooks";
import { queryPath, table } from "../answers/api";
import { besidesOf } from "../text/command";
import { useLoaded } from "../answers/load";
import { Means } from "../parts/Means";
import { ReportTable } from "../parts/ReportTable";
import { Status } from "../parts/Status";
import type { Route } from "../state/route";
import { go, withParams } from "../state/route";

// Common questions; each shows the use of one table.
const EXAMPLES = [
  { title: "tables and columns", sql: "SELECT * FROM columns" },
  { title: "time by operation", sql: "SELECT op, count(*) AS runs, sum(run_us) AS us\nFROM executions JOIN nodes USING (node)\nGROUP BY op ORDER BY us DESC LIMIT 20" },
  { title: "longest runs", sql: "SELECT step, name, op, run_us\nFROM executions JOIN nodes USING (node)\nORDER BY run_us DESC LIMIT 50" },
  { title: "longest spans of a trace", sql: "SELECT step, lane, name, kind, class, round((start_ns - (SELECT min(start_ns) FROM spans)) / 1e6, 3) AS at_ms, duration_ns / 1e6 AS ms\nFROM spans ORDER BY duration_ns DESC LIMIT 50" },
  { title: "most read nodes", sql: "SELECT s.name, s.op, count(*) AS readers\nFROM edges e JOIN nodes s ON s.node = e.source\nGROUP BY e.source ORDER BY readers DESC LIMIT 50" },
];

function Answer({ route, files, sql }: { route: Route; files: string[]; sql: string }) {
  const report = queryPath(route.id, sql);
  const loaded = useLoaded(report, (signal, progress) => table(`${report}&format=columns`, signal, progress));
  const line = sql.replace(/\s+/g, " ");
  return (
    <>
      <Means words={["tfprof", "query", line, ...files]} path={report} file="query" besides={besidesOf(route.params.has("sort"), false)} />
      <Status of={loaded}>{(t) => <ReportTable t={t} route={route} label="answer" />}</Status>
    </>
  );
}

export function Query({ route, files }: { route: Route; files: string[] }) {
  const sql = route.params.get("sql") ?? "";
  const [text, setText] = useState(sql || (EXAMPLES[1]?.sql ?? ""));
  const run = (what: string): void => go(withParams(route, { sql: what, sort: null }));
  return (
    <section class="old">
      <h1 class="away">Query</h1>
      <p class="tools">
        <span class="s">Examples</span>
        {EXAMPLES.map((e) => (
          <button
            key={e.title}
            type="button"
            onClick={() => {
              setText(e.sql);
              run(e.sql);
            }}
          >
            {e.title}
          </button>
        ))}
      </p>
      <form
        class="sql"
        onSubmit={(e) => {
          e.preventDefault();
          if (text.trim()) run(text);
        }}
      >
        <label for="sql">SQL, one SELECT; Ctrl+Enter runs it</label>
        <textarea
          id="sql"
          rows={5}
          spellcheck={false}
          value={text}
          onInput={(e) => setText(e.currentTarget.value)}
          onKeyDown={(e) => {
            if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey)) return;
            e.preventDefault();
            if (text.trim()) run(text);
          }}
        />
        <button type="submit">Run</button>
      </form>
      {sql && <Answer key={sql} route={route} files={files} sql={sql} />}
    </section>
  );
}
