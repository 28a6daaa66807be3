// Float operations worked out from the graph: the summary of the command, and its operations as a table.
import { useMemo } from "preact/hooks";
import { table, text } from "../api";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { Copies } from "../parts/Copies";
import { Status } from "../parts/Status";
import { TreeTable } from "../parts/TreeTable";
import type { Route } from "../route";
import { go, withParams } from "../route";

const OPTIONS = ["assume_batch", "assume_shape", "peak_flops", "peak_bandwidth"];

export function Flops({ route, file }: { route: Route; file: string }) {
  const query = new URLSearchParams();
  for (const name of OPTIONS) {
    const value = route.params.get(name);
    if (value) query.set(name, value);
  }
  const report = `/api/v1/profiles/${route.id}/views/flops?${query.toString()}`;
  const loaded = useLoaded(report, async (signal, progress) => {
    const t = await table(`${report}&format=columns`, signal, progress);
    return { t, words: await text(`${report}&format=text`, signal) };
  });
  const columns = useMemo(() => loaded.value?.t.columns.slice(1) ?? [], [loaded.value]);
  const words = ["tfprof", "flops", file, ...[...query].flatMap(([name, value]) => [`-${name}`, value])];
  return (
    <main>
      <h1>Float operations</h1>
      {!isReport && (
        <form class="controls" onSubmit={(e) => e.preventDefault()}>
          {OPTIONS.map((name) => (
            <div class="field" key={name}>
              <label for={name}>{name.replace("_", " ")}</label>
              <input id={name} type="text" value={route.params.get(name) ?? ""} onChange={(e) => go(withParams(route, { [name]: e.currentTarget.value || null }))} />
            </div>
          ))}
        </form>
      )}
      <CommandLine words={words} />
      <Copies path={report} file="flops" />
      <Status of={loaded}>
        {({ t, words: told }) => (
          <>
            <pre class="advice" tabIndex={0}>{told.split("\n\n")[0]}</pre>
            <TreeTable table={t} columns={columns} label="operations" search="" sort={route.params.get("sort") ?? ""} onSort={(sort) => go(withParams(route, { sort: sort || null }))} openDepth={1} />
          </>
        )}
      </Status>
    </main>
  );
}
