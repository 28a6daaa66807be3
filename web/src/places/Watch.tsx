// SPDX-License-Identifier: Apache-2.0
// Jobs that `tfprof watch` watches; the page that draws them is loaded with it, because only a store of watch needs it.
import { useLoaded } from "../answers/load";
import { Status } from "../parts/Status";

export function WatchPlace() {
  const page = useLoaded("watch page", () => import("../pages/Watch"));
  return <Status of={page}>{({ Watch }) => <Watch />}</Status>;
}
