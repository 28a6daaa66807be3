// SPDX-License-Identifier: Apache-2.0
// The graph of operations.
import { Graph } from "../pages/Graph";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function GraphPlace({ of }: PlaceProps) {
  const route = useRoute();
  return <Graph route={route} facts={of.facts} tables={of.tables} />;
}
