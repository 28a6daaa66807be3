// SPDX-License-Identifier: Apache-2.0
// Activity over time: a lane for each device, stream or thread.
import type { ProfileFacts } from "../api";
import { profilePath } from "../api";
import { commandWords } from "../command";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { FindField, StepField } from "../parts/Fields";
import { Lanes } from "../parts/Lanes";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { servedSource } from "../timeline";
import { heldSource } from "../timeline_held";

export function Timeline({ route, files, facts }: { route: Route; files: string[]; facts: ProfileFacts }) {
  const step = route.params.get("step") ?? (facts.has?.trace && !isReport ? "" : String(facts.steps[0] ?? 0));
  const loaded = useLoaded(`timeline ${route.id} ${step}`, async (signal, progress) => {
    const source = isReport ? await heldSource(route.id, step, signal) : await servedSource(route.id, step, signal, progress);
    return { source, step };
  });
  const query = new URLSearchParams(step ? { step } : {});
  const words = facts.has?.trace ? { output: "timeline:outfile=timeline.json" } : { step, max_depth: "100000", output: "timeline:outfile=timeline.json" };
  return (
    <section class="old">
      <h1>Timeline</h1>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        {!(isReport && facts.has?.trace) && <StepField route={route} steps={facts.steps} step={step} all={facts.has?.trace ? "all" : ""} reset={["time", "selected", "event"]} />}
        <FindField route={route} />
        {!isReport && <a class="button" href={profilePath(route.id, `download/timeline.json?${query.toString()}`)}>Download for Perfetto</a>}
      </form>
      <CommandLine words={commandWords(facts.has?.trace ? "calls" : "graph", files, new URLSearchParams(words))} />
      <Status of={loaded}>
        {({ source, step: shown }) => (source.lanes.lanes.length ? <Lanes key={shown} source={source} route={route} /> : <p class="empty">Nothing ran in this step.</p>)}
      </Status>
    </section>
  );
}
