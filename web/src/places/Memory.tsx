// SPDX-License-Identifier: Apache-2.0
// Memory over time and its holders.
import { Memory } from "../pages/Memory";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function MemoryPlace({ of }: PlaceProps) {
  const route = useRoute();
  return <Memory route={route} files={of.files} facts={of.facts} />;
}
