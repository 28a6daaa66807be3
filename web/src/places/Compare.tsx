// SPDX-License-Identifier: Apache-2.0
// Two profiles, or two steps of one.
import { Compare } from "../pages/Compare";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function ComparePlace({ of }: PlaceProps) {
  const route = useRoute();
  return <Compare route={route} tables={of.tables} />;
}
