// SPDX-License-Identifier: Apache-2.0
// Where time goes, by name.
import { TracePage } from "../pages/TracePages";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function TablePlace({ of }: PlaceProps) {
  const route = useRoute();
  return <TracePage key={route.params.get("by") ?? "kernel"} view={route.params.get("by") ?? "kernel"} route={route} files={of.files} steps={of.facts.steps} />;
}
