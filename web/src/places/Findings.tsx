// SPDX-License-Identifier: Apache-2.0
// What checkers found.
import { Advice } from "../pages/Advice";
import { useRoute } from "../route";
import type { PlaceProps } from "./index";

export function FindingsPlace({ of }: PlaceProps) {
  const route = useRoute();
  return <Advice route={route} files={of.files} tables={of.tables} />;
}
