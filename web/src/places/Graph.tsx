// SPDX-License-Identifier: Apache-2.0
// The dataflow graph of operations; the page that lays it out is loaded with it, because no other place needs that.
import { useLoaded } from "../answers/load";
import { Status } from "../parts/Status";
import { useRoute } from "../state/route";

export function GraphPlace() {
  const route = useRoute();
  const page = useLoaded("graph page", () => import("../pages/Graph"));
  return <Status of={page}>{({ Graph }) => <Graph route={route} />}</Status>;
}
