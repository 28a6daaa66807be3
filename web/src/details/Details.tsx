// SPDX-License-Identifier: Apache-2.0
// The details panel shows the selection, otherwise the range, otherwise the profile. It is always inside the window.
import { BusyContext, detailsBusy } from "../answers/busy";
import { useKeys } from "../state/keys";
import type { Opened } from "../state/opened";
import { Boundary } from "../parts/Boundary";
import { sel, select, shown, state } from "../state/store";
import { PANELS } from "./kinds";
import { neighbour } from "./like";

function Unknown({ kind, id }: { kind: string; id: string }) {
  return <><div class="s">{kind}</div><h2 class="title">{id}</h2></>;
}

export function Details({ of }: { of: Opened }) {
  const thing = shown.value;
  const Panel = PANELS[thing.kind];
  useKeys(
    {
      ".": () => sel.value && void neighbour(of, sel.value, false),
      ",": () => sel.value && void neighbour(of, sel.value, true),
    },
    [of],
  );
  const none = !sel.value && !state.value.range;
  return (
    <BusyContext.Provider value={detailsBusy}>
      <aside class={none ? "details none" : "details"} aria-label="Details" data-kind={thing.kind} data-id={thing.id} aria-busy={detailsBusy.value > 0}>
        {sel.value && <button type="button" class="close" aria-label="Close details" onClick={() => select(null)}>×</button>}
        <div class="cols">{Panel ? <Boundary key={`${thing.kind}:${thing.id}`} what="It"><Panel thing={thing} of={of} /></Boundary> : <Unknown kind={thing.kind} id={thing.id} />}</div>
      </aside>
    </BusyContext.Provider>
  );
}
