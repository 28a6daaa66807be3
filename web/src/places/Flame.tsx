// SPDX-License-Identifier: Apache-2.0
// Where time goes, as a flame graph.
import { Flame } from "../pages/Flame";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function FlamePlace({ of }: PlaceProps) {
  const route = useRoute();
  return <Flame route={route} files={of.files} facts={of.facts} stacks={of.facts.has?.stacks ?? true} tables={of.tables} />;
}
