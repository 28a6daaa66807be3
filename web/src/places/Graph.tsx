// SPDX-License-Identifier: Apache-2.0
// The dataflow graph of operations.
import { Graph } from "../pages/Graph";
import { useRoute } from "../state/route";

export function GraphPlace() {
  const route = useRoute();
  return <Graph route={route} />;
}
