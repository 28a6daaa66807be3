// SPDX-License-Identifier: Apache-2.0
// Executions were recorded apart, so each step has a timeline of its own: which of them is shown.
import { effect, signal } from "@preact/signals";
import type { ProfileFacts } from "../answers/api";
import { embeddedSteps } from "../answers/embedded";
import type { Steps } from "../state/store";
import { filters, sel } from "../state/store";

/** The step that was selected last, if the filter of the context bar includes it; otherwise the first that it includes. */
export function stepShown(steps: number[], chosen: Steps | null, selected: number | null): number {
  const left = steps.filter((s) => !chosen || (s >= chosen.from && s <= chosen.to));
  return selected !== null && left.includes(selected) ? selected : (left[0] ?? steps[0] ?? 0);
}

const selected = signal<number | null>(null); // it stays when a span of it is selected
effect(() => {
  if (sel.value?.kind === "step") selected.value = Number(sel.value.id);
});

/** The step of the requests of a timeline; "": all, as in a trace whose steps follow one another. */
export function stepAsked({ steps, has }: ProfileFacts, held: boolean): string {
  return has?.trace && !held ? "" : String(stepShown(embeddedSteps(steps), filters.value.steps, selected.value));
}
