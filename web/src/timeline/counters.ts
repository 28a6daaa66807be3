// SPDX-License-Identifier: Apache-2.0
// Counters and memory over time, as lanes.
import type { Opened } from "../opened";
import type { Source } from "./data";
import type { Counter } from "./layout";

const NONE: Counter[] = [];

export function useCounters(_of: Opened, _source: Source): Counter[] {
  return NONE;
}
