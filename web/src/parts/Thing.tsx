// SPDX-License-Identifier: Apache-2.0
// Whatever stands for a thing of the profile: a link that selects it. Enter or a double click goes to its best place.
import type { ComponentChildren } from "preact";
import type { Kind, State, Thing } from "../state/store";
import { goTo, hrefOf, sel, sameThing, select } from "../state/store";

/** The place that shows a kind of thing best. */
const BEST: Partial<Record<Kind, Partial<State> & { place: State["place"] }>> = {
  span: { place: "timeline" },
  step: { place: "timeline" },
  op: { place: "table", by: "op" },
  kernel: { place: "table", by: "kernel" },
  scope: { place: "flame" },
  call: { place: "flame" },
  line: { place: "table", by: "line" },
  rank: { place: "steps" },
  tensor: { place: "memory" },
  finding: { place: "findings" },
  change: { place: "findings" },
  range: { place: "timeline" },
  shape: { place: "limits", by: "shape" },
  chain: { place: "limits", by: "chain" },
  layer: { place: "limits", by: "layer" },
};

/** Where Enter and a double click lead. */
export const bestPlace = (kind: Kind): State["place"] | undefined => BEST[kind]?.place;

export function goToBest(thing: Thing): void {
  const best = BEST[thing.kind];
  if (best) goTo(best.place, { ...best, ...(thing.kind === "range" ? {} : { sel: thing }) });
}

export const isPlainClick = (e: MouseEvent): boolean => !e.ctrlKey && !e.metaKey && !e.shiftKey && e.button === 0;

interface Props {
  kind: Kind;
  id: string;
  full?: string | undefined; // the whole name, if a shorter one is shown
  class?: string;
  hint?: string; // names a link without text, such as a bar
  also?: Partial<State>; // further changes of the state on a click
  evidence?: boolean; // links to the timeline
  children: ComponentChildren;
}

/** A name as a link. */
export function ThingLink({ kind, id, full, class: look = "lk", hint, also, evidence, children }: Props) {
  const thing = { kind, id };
  const follow = (e: MouseEvent): void => {
    if (!isPlainClick(e)) return;
    e.preventDefault();
    e.stopPropagation();
    if (evidence) goTo("timeline", { sel: thing, ...also });
    else if (also?.place) goTo(also.place, { sel: thing, ...also });
    else select(thing);
  };
  return (
    <a
      class={look}
      href={hrefOf({ ...also, ...(evidence ? { place: "timeline" } : {}), sel: thing })}
      data-kind={kind}
      data-id={id}
      data-full={full}
      data-evidence={evidence ? "" : undefined}
      data-hint={hint ?? full}
      aria-label={hint}
      aria-current={!evidence && sameThing(sel.value, thing) ? "true" : undefined}
      onClick={follow}
      onDblClick={() => goToBest(thing)}
    >
      {children}
    </a>
  );
}
