// SPDX-License-Identifier: Apache-2.0
// Running jobs and their recording.
import { Live } from "../pages/Live";
import { useRoute } from "../state/route";

export function JobsPlace() {
  const route = useRoute();
  return <Live route={route} />;
}
