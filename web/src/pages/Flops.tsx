// SPDX-License-Identifier: Apache-2.0
// Float operations computed from the graph: the summary of the command, and its operations as a table.
import type { Tables } from "../answers/api";
import { profilePath, table, text } from "../answers/api";
import { besidesOf, commandWords } from "../text/command";
import { isReport } from "../answers/embedded";
import { useLoaded } from "../answers/load";
import { FactLines, firstPart } from "../parts/FactLines";
import { Means } from "../parts/Means";
import { ReportTable } from "../parts/ReportTable";
import { Status } from "../parts/Status";
import type { Route } from "../state/route";
import { go, withParams } from "../state/route";

const OPTIONS = [
  { name: "assume_batch", hint: "32" },
  { name: "assume_shape", hint: "x=32,224,224,3" },
  { name: "peak_flops", hint: "400G" },
  { name: "peak_bandwidth", hint: "100G" },
];

export function Flops({ route, files, tables }: { route: Route; files: string[]; tables: Tables }) {
  const helpOf = (name: string): string => tables.options.find((o) => o.name === name)?.help ?? "";
  const query = new URLSearchParams();
  for (const { name } of [...OPTIONS, { name: "nodes" }]) for (const value of route.params.getAll(name)) query.append(name, value);
  const report = profilePath(route.id, `views/flops?${query.toString()}`);
  const loaded = useLoaded(report, async (signal, progress) => {
    const t = await table(`${report}&format=columns`, signal, progress);
    return { t, words: await text(`${report}&format=text`, signal) };
  });
  return (
    <section class="old">
      <h1 class="away">Float operations</h1>
      {!isReport && (
        <form class="controls" onSubmit={(e) => e.preventDefault()}>
          {OPTIONS.map(({ name, hint }) => (
            <div class="field" key={name}>
              <label for={name}>{name.replace("_", " ")}</label>
              <input id={name} type="text" placeholder={hint} data-hint={helpOf(name)} value={route.params.get(name) ?? ""} onChange={(e) => go(withParams(route, { [name]: e.currentTarget.value.trim() || null }))} />
            </div>
          ))}
          <label data-hint={helpOf("nodes")}>
            <input type="checkbox" checked={route.params.get("nodes") === "true"} onChange={(e) => go(withParams(route, { nodes: e.currentTarget.checked ? "true" : null }))} /> a row for each node
          </label>
        </form>
      )}
      <Means words={commandWords("flops", files, query)} path={report} file="flops" besides={besidesOf(route.params.has("sort"), false)} />
      <Status of={loaded}>
        {({ t, words: told }) => (
          <>
            <FactLines lines={firstPart(told)[0]} />
            <ReportTable t={t} route={route} label="operations" />
          </>
        )}
      </Status>
    </section>
  );
}
