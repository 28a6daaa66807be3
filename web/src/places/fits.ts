// SPDX-License-Identifier: Apache-2.0
// Which places have anything to show for a profile: the rail lists these, and buttons lead to no other.
import type { ProfileFacts } from "../answers/api";
import { hasTimeline, isOfHeap, isOfStacks } from "../answers/api";
import type { Place } from "../state/store";

const hasRun = (f: ProfileFacts): boolean => !isOfHeap(f);

const FITS: Partial<Record<Place, (facts: ProfileFacts) => boolean>> = {
  findings: hasRun,
  triage: (f) => f.has?.phases ?? false,
  timeline: hasTimeline,
  steps: (f) => (f.has?.times ?? false) && f.steps.length > 0,
  memory: (f) => f.has?.memory ?? false,
  table: hasRun,
  flame: hasRun,
  limits: (f) => f.has?.shapes ?? false,
  graph: (f) => (f.has?.graph ?? true) && !isOfStacks(f),
  compare: hasRun,
};

/** A place that is not listed fits every profile. */
export const fitsPlace = (place: Place, facts: ProfileFacts): boolean => FITS[place]?.(facts) ?? true;
