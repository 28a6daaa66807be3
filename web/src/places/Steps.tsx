// SPDX-License-Identifier: Apache-2.0
// Steps and their parts.
import { TracePage } from "../pages/TracePages";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function StepsPlace({ of }: PlaceProps) {
  const route = useRoute();
  return <TracePage view="steps" route={route} files={of.files} steps={of.facts.steps} />;
}
