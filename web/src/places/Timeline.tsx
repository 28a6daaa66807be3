// SPDX-License-Identifier: Apache-2.0
// Activity over time.
import { isReport } from "../answers/embedded";
import { useLoaded } from "../answers/load";
import { Status } from "../parts/Status";
import { stepAsked } from "../timeline/alone";
import { servedSource } from "../timeline/data";
import { embeddedSource } from "../timeline/embedded";
import { TimelineView } from "../timeline/View";
import type { PlaceProps } from "./index";

/** In a trace all steps are shown one after the other; executions have separate lanes for each
 * step. */
export function TimelinePlace({ of }: PlaceProps) {
  const step = stepAsked(of.facts, isReport);
  const loaded = useLoaded(`timeline ${of.id} ${step}`, async (signal, progress) => {
    const source = isReport ? await embeddedSource(of.id, step, signal) : await servedSource(of.id, step, signal, progress);
    return { source, step };
  });
  return (
    <>
      <h1 class="away">Timeline</h1>
      <Status of={loaded}>
        {({ source, step: shown }) => (source.lanes.lanes.length ? <TimelineView key={shown} source={source} of={of} alone={of.facts.has?.trace ? null : Number(shown)} /> : <p class="empty">Nothing ran in this step.</p>)}
      </Status>
    </>
  );
}
