// SPDX-License-Identifier: Apache-2.0
// A tree as stacked bars whose widths are shares of a column. Icicle: from the top down; flame: from the bottom up.
import type { ProfileFacts, Tables } from "../api";
import { isOfStacks, profilePath, table } from "../api";
import { commandWords } from "../command";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { Bars } from "../parts/Bars";
import { CommandLine } from "../parts/CommandLine";
import { ChoiceField, FindField, StepField, choicesOf } from "../parts/Fields";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";

const VALUES = ["micros", "accelerator_micros", "cpu_micros", "bytes", "peak_bytes", "output_bytes", "residual_bytes", "params", "float_ops"];

function Choices({ route, view, column, facts, stacks, tables }: { route: Route; view: string; column: string; facts: ProfileFacts; stacks: boolean; tables: Tables }) {
  const set = (name: string, value: string): void => go(withParams(route, { [name]: value || null, top: null }));
  const known = VALUES.filter((v) => tables.columns.some((c) => c.name === v));
  return (
    <form class="controls" onSubmit={(e) => e.preventDefault()}>
      <ChoiceField name="of" value={view} choices={[isOfStacks(facts) ? { value: "calls", title: "calls" } : { value: "scope", title: "scopes" }, ...(stacks ? [{ value: "code", title: "code" }] : [])]} onChoose={(to) => set("of", to === "code" ? to : "")} />
      <ChoiceField name="by" value={column} choices={choicesOf(known)} onChoose={(to) => set("by", to)} />
      <ChoiceField name="shape" value={route.params.get("shape") ?? "icicle"} choices={choicesOf(["icicle", "flame"])} onChoose={(to) => set("shape", to === "flame" ? to : "")} />
      {!isReport && facts.steps.length > 0 && <StepField route={route} steps={facts.steps} step={route.params.get("step") ?? ""} all={facts.has?.trace ? "all" : "mean of all"} reset={["top"]} />}
      <FindField route={route} />
    </form>
  );
}

export function Flame({ route, files, facts, stacks, tables }: { route: Route; files: string[]; facts: ProfileFacts; stacks: boolean; tables: Tables }) {
  const view = route.params.get("of") === "code" ? "code" : isOfStacks(facts) ? "calls" : "scope";
  const column = route.params.get("by") ?? (facts.steps.length || isOfStacks(facts) ? "micros" : "params");
  const query = new URLSearchParams({ select: column, max_depth: "100000" });
  for (const name of ["step", "float_ops_source", "assume_batch"]) {
    const value = route.params.get(name);
    if (value) query.set(name, value);
  }
  const path = profilePath(route.id, `views/${view}?${query.toString()}&format=columns`);
  const loaded = useLoaded(path, (signal, progress) => table(path, signal, progress));
  return (
    <section class="old">
      <h1>Flame graph</h1>
      <Choices route={route} view={view} column={column} facts={facts} stacks={stacks} tables={tables} />
      <CommandLine words={commandWords(view, files, query)} />
      <Status of={loaded}>
        {(t) => {
          const total = t.column(`total_${column}`);
          return (
            <>
              {t.notes.map((note) => <p key={note} class="note">{note}</p>)}
              {total ? <Bars t={t} route={route} total={total} /> : <p class="empty">This view has no column {column}.</p>}
            </>
          );
        }}
      </Status>
    </section>
  );
}
