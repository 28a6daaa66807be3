// SPDX-License-Identifier: Apache-2.0
// What ran when: a lane for each device, stream or thread.
import type { ProfileFacts } from "../api";
import { profilePath, table } from "../api";
import { commandWords } from "../command";
import { isReport } from "../held";
import { useLoaded } from "../load";
import { CommandLine } from "../parts/CommandLine";
import { FindField, StepField } from "../parts/Fields";
import { Lanes } from "../parts/Lanes";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { makeSpans } from "../spans";

export function Timeline({ route, files, facts }: { route: Route; files: string[]; facts: ProfileFacts }) {
  const step = route.params.get("step") ?? String(facts.steps[0] ?? 0);
  const path = profilePath(route.id, `timeline?step=${encodeURIComponent(step)}&format=columns`);
  const loaded = useLoaded(path, async (signal, progress) => {
    const t = await table(path, signal, progress);
    return { t, spans: makeSpans(t), step };
  });
  return (
    <main>
      <h1>Timeline</h1>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <StepField route={route} steps={facts.steps} step={step} reset={["time", "selected", "event"]} />
        <FindField route={route} />
        {!isReport && <a class="button" href={profilePath(route.id, `download/timeline.json?step=${encodeURIComponent(step)}`)}>Download for chrome://tracing</a>}
      </form>
      <CommandLine words={commandWords("graph", files, new URLSearchParams({ step, max_depth: "100000", output: "timeline:outfile=timeline.json" }))} />
      <Status of={loaded}>
        {({ t, spans, step: shown }) => (spans?.count ? <Lanes key={shown} t={t} s={spans} route={route} /> : <p class="empty">Nothing ran in this step.</p>)}
      </Status>
    </main>
  );
}
