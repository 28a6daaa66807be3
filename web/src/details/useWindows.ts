// SPDX-License-Identifier: Apache-2.0
// The windows of the steps on the clock of the timeline; null until they are known.
import { stepWindows } from "../data";
import type { StepWindows } from "../data";
import { useLoaded } from "../load";
import type { Opened } from "../opened";

export function useWindows(of: Opened): StepWindows | null {
  const loaded = useLoaded(`windows ${of.id}`, () => (of.facts.has?.timeline ?? of.facts.steps.length ? stepWindows(of.id) : Promise.resolve(new Map())));
  return loaded.value ?? null;
}
