// SPDX-License-Identifier: Apache-2.0
// The profile at a glance.
import { Overview } from "../pages/Overview";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function OverviewPlace({ of }: PlaceProps) {
  const route = useRoute();
  return <Overview route={route} facts={of.facts} />;
}
