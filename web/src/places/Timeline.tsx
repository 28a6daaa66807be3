// SPDX-License-Identifier: Apache-2.0
// Activity over time.
import { Timeline } from "../pages/Timeline";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function TimelinePlace({ of }: PlaceProps) {
  const route = useRoute();
  return <Timeline route={route} files={of.files} facts={of.facts} />;
}
