// SPDX-License-Identifier: Apache-2.0
// The places of a profile, a row each: the rail and the main area are made from this table.
import type { ComponentType } from "preact";
import type { ProfileFacts } from "../answers/api";
import { hasTimeline, isOfHeap, isOfStacks } from "../answers/api";
import type { Opened } from "../state/opened";
import type { Place } from "../state/store";
import { ComparePlace } from "./Compare";
import { FindingsPlace } from "./Findings";
import { FlamePlace } from "./Flame";
import { GraphPlace } from "./Graph";
import { MemoryPlace } from "./Memory";
import { MorePlace } from "./More";
import { OverviewPlace } from "./Overview";
import { StepsPlace } from "./Steps";
import { TablePlace } from "./Table";
import { TimelinePlace } from "./Timeline";

export interface PlaceProps {
  of: Opened;
}

export interface PlaceRow {
  name: Place;
  title: string;
  group?: "When" | "Where"; // this entry begins a group of the rail with this heading
  key: string; // key that leads there after g
  /** Whether the place has anything to show for this profile. */
  fits: (facts: ProfileFacts) => boolean;
  show: ComponentType<PlaceProps>;
}

const always = (): boolean => true;
const hasRun = (f: ProfileFacts): boolean => !isOfHeap(f);
const hasTimes = (f: ProfileFacts): boolean => (f.has?.times ?? false) && f.steps.length > 0;

/** A memory snapshot contains only memory, so nothing else is shown. */
function StartPlace({ of }: PlaceProps) {
  return isOfHeap(of.facts) ? <MemoryPlace of={of} /> : <OverviewPlace of={of} />;
}

export const PLACES: PlaceRow[] = [
  { name: "overview", title: "Overview", key: "o", fits: always, show: StartPlace },
  { name: "findings", title: "Findings", key: "i", fits: hasRun, show: FindingsPlace },
  { name: "timeline", title: "Timeline", key: "t", group: "When", fits: hasTimeline, show: TimelinePlace },
  { name: "steps", title: "Steps", key: "s", fits: hasTimes, show: StepsPlace },
  { name: "memory", title: "Memory", key: "m", fits: (f) => f.has?.memory ?? false, show: MemoryPlace },
  { name: "table", title: "Table", key: "b", group: "Where", fits: hasRun, show: TablePlace },
  { name: "flame", title: "Flame", key: "f", fits: hasRun, show: FlamePlace },
  { name: "graph", title: "Graph", key: "d", fits: (f) => (f.has?.graph ?? true) && !isOfStacks(f), show: GraphPlace },
  { name: "compare", title: "Compare", key: "c", fits: hasRun, show: ComparePlace },
  { name: "more", title: "More", key: "x", fits: always, show: MorePlace },
];
