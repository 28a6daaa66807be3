// SPDX-License-Identifier: Apache-2.0
// The details panel: what is selected, else the range, else the profile. Always inside the window.
import { BusyContext, detailsBusy } from "../busy";
import type { Opened } from "../opened";
import { sel, select, shown } from "../store";
import { PANELS } from "./kinds";

function Unknown({ kind, id }: { kind: string; id: string }) {
  return <><h2 class="title">{id}</h2><div class="s">{kind}</div></>;
}

export function Details({ of }: { of: Opened }) {
  const thing = shown.value;
  const Panel = PANELS[thing.kind];
  return (
    <BusyContext.Provider value={detailsBusy}>
      <aside class={sel.value ? "details" : "details none"} aria-label="Details" data-kind={thing.kind} data-id={thing.id} aria-busy={detailsBusy.value > 0}>
        {sel.value && <button type="button" class="close" aria-label="Close details" onClick={() => select(null)}>×</button>}
        {Panel ? <Panel key={`${thing.kind}:${thing.id}`} thing={thing} of={of} /> : <Unknown kind={thing.kind} id={thing.id} />}
      </aside>
    </BusyContext.Provider>
  );
}
