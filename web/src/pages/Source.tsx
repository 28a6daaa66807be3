// The code view beside the text of the files that it names.
import { useMemo } from "preact/hooks";
import type { Table } from "../api";
import { cellText, table, text } from "../api";
import { LINES_SQL } from "../asks";
import { formatMicros } from "../format";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";

interface LineCost {
  micros: number;
  nodes: number;
}

/** Costs of lines, file by file. */
function costsOf(t: Table): Map<string, Map<number, LineCost>> {
  const [file, line, micros, nodes] = ["file", "line", "micros", "nodes"].map((n) => t.column(n));
  const out = new Map<string, Map<number, LineCost>>();
  for (let i = 0; i < t.rows && file && line && micros && nodes; i++) {
    const name = cellText(file, i);
    const lines = out.get(name) ?? new Map<number, LineCost>();
    lines.set(line.values[i] ?? 0, { micros: micros.values[i] ?? 0, nodes: nodes.values[i] ?? 0 });
    out.set(name, lines);
  }
  return out;
}

/** A line holds what the lines that it calls hold, so the dearest one stands for a file, not their sum. */
const dearest = (lines: Map<number, LineCost>): number => [...lines.values()].reduce((most, l) => Math.max(most, l.micros), 0);

function Text({ route, file, lines }: { route: Route; file: string; lines: Map<number, LineCost> }) {
  const path = `/api/v1/profiles/${route.id}/source?file=${encodeURIComponent(file)}`;
  const loaded = useLoaded(path, (signal) => text(path, signal));
  const most = Math.max(1, ...[...lines.values()].map((l) => l.micros));
  if (loaded.error)
    return (
      <>
        <p class="note">
          The text cannot be shown: {loaded.error}. To see it here, give its folder at the start, too: <code>tfprof serve PROFILES FOLDER_OF_THE_CODE</code>
        </p>
        <Lines lines={lines} caption="" />
      </>
    );
  return (
    <Status of={loaded}>
      {(all) => (
        <div class="source" tabIndex={0} role="region" aria-label={file}>
          {all.split("\n").map((line, i) => {
            const cost = lines.get(i + 1);
            return (
              <div key={i} class={cost ? "line costly" : "line"}>
                <span class="cost">{cost ? formatMicros(Math.round(cost.micros)) : ""}</span>
                <span class="share" style={{ width: `${((cost?.micros ?? 0) / most) * 5}rem` }} />
                <span class="number">{i + 1}</span>
                <code>{line}</code>
              </div>
            );
          })}
        </div>
      )}
    </Status>
  );
}

const LINES_MOST = 200;

/** Without the text: the lines that cost most. */
function Lines({ lines, caption }: { lines: Map<number, LineCost>; caption: string }) {
  const found = [...lines].sort((a, b) => b[1].micros - a[1].micros || a[0] - b[0]);
  return (
    <table class="list narrow">
      <caption>{caption}{found.length > LINES_MOST && ` The dearest ${LINES_MOST} of ${found.length.toLocaleString()} lines`}</caption>
      <thead>
        <tr><th scope="col" class="number">Line</th><th scope="col" class="number">Time</th><th scope="col" class="number">Nodes</th></tr>
      </thead>
      <tbody>
        {found.slice(0, LINES_MOST).map(([line, cost]) => (
          <tr key={line}>
            <td class="number">{line}</td>
            <td class="number">{formatMicros(Math.round(cost.micros))}</td>
            <td class="number">{cost.nodes.toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function SourcePage({ route }: { route: Route }) {
  const path = `/api/v1/profiles/${route.id}/query?format=columns&sql=${encodeURIComponent(LINES_SQL)}`;
  const loaded = useLoaded(path, (signal, progress) => table(path, signal, progress));
  const costs = useMemo(() => (loaded.value ? costsOf(loaded.value) : new Map<string, Map<number, LineCost>>()), [loaded.value]);
  const files = useMemo(() => [...costs].map(([name, lines]) => ({ name, micros: dearest(lines) })).sort((a, b) => b.micros - a.micros), [costs]);
  const file = route.params.get("file") ?? files[0]?.name ?? "";
  return (
    <main>
      <h1>Source</h1>
      <Status of={loaded}>
        {() =>
          files.length ? (
            <>
              <div class="field wide">
                <label for="file">file</label>
                <select id="file" class="fits" value={file} onChange={(e) => go(withParams(route, { file: e.currentTarget.value }))}>
                  {files.map((f) => <option key={f.name} value={f.name}>{f.name} ({formatMicros(Math.round(f.micros))})</option>)}
                </select>
              </div>
              {isReport ? (
                <Lines lines={costs.get(file) ?? new Map<number, LineCost>()} caption="The text of the files is not in a report." />
              ) : (
                <Text key={file} route={route} file={file} lines={costs.get(file) ?? new Map<number, LineCost>()} />
              )}
            </>
          ) : (
            <p class="empty">This profile has no code traces: they come with an op log.</p>
          )
        }
      </Status>
    </main>
  );
}
