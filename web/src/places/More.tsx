// SPDX-License-Identifier: Apache-2.0
// What has no place of its own: SQL, checkpoint, float operations, command line.
import { Query } from "../pages/Query";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function MorePlace({ of }: PlaceProps) {
  const route = useRoute();
  return <Query route={route} files={of.files} />;
}
