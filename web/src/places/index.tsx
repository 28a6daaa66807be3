// SPDX-License-Identifier: Apache-2.0
// The places of a profile, a row each: the rail and the main area are made from this table.
import type { ComponentType } from "preact";
import type { ProfileFacts } from "../answers/api";
import { isOfHeap } from "../answers/api";
import type { Opened } from "../state/opened";
import type { Place } from "../state/store";
import { ComparePlace } from "./Compare";
import { FindingsPlace } from "./Findings";
import { fitsPlace } from "./fits";
import { FlamePlace } from "./Flame";
import { GraphPlace } from "./Graph";
import { LimitsPlace } from "./Limits";
import { MemoryPlace } from "./Memory";
import { MorePlace } from "./More";
import { OverviewPlace } from "./Overview";
import { StepsPlace } from "./Steps";
import { TablePlace } from "./Table";
import { TimelinePlace } from "./Timeline";
import { TriagePlace } from "./Triage";

export interface PlaceProps {
  of: Opened;
}

export interface PlaceRow {
  name: Place;
  title: string;
  group?: "When" | "Where" | "How well"; // this entry begins a group of the rail with this heading
  isAnswer?: boolean; // answers one question of some recordings: listed after the places that a profile has
  key: string; // key that leads there after g
  show: ComponentType<PlaceProps>;
}

/** A memory snapshot contains only memory, so nothing else is shown. */
function StartPlace({ of }: PlaceProps) {
  return isOfHeap(of.facts) ? <MemoryPlace of={of} /> : <OverviewPlace of={of} />;
}

export const PLACES: PlaceRow[] = [
  { name: "overview", title: "Overview", key: "o", show: StartPlace },
  { name: "findings", title: "Findings", key: "i", show: FindingsPlace },
  { name: "timeline", title: "Timeline", key: "t", group: "When", show: TimelinePlace },
  { name: "steps", title: "Steps", key: "s", show: StepsPlace },
  { name: "memory", title: "Memory", key: "m", show: MemoryPlace },
  { name: "table", title: "Table", key: "b", group: "Where", show: TablePlace },
  { name: "flame", title: "Flame", key: "f", show: FlamePlace },
  { name: "graph", title: "Graph", key: "d", show: GraphPlace },
  { name: "compare", title: "Compare", key: "c", show: ComparePlace },
  { name: "more", title: "More", key: "x", show: MorePlace },
  { name: "limits", title: "Limits", key: "l", group: "How well", isAnswer: true, show: LimitsPlace },
  { name: "triage", title: "Triage", key: "r", isAnswer: true, show: TriagePlace },
];

/** The places that have anything to show for a profile. */
export const placesOf = (facts: ProfileFacts): PlaceRow[] => PLACES.filter((p) => fitsPlace(p.name, facts));
