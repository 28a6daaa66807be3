// SPDX-License-Identifier: Apache-2.0
// The windows of the steps on the clock of the timeline; null until they are known.
import { stepWindows } from "../answers/data";
import type { StepWindows } from "../answers/data";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";

export function useWindows(of: Opened): StepWindows | null {
  const loaded = useLoaded(`windows ${of.id}`, () => (of.facts.has?.timeline ?? of.facts.steps.length ? stepWindows(of.id) : Promise.resolve(new Map())));
  return loaded.value ?? null;
}
