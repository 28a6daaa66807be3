// SPDX-License-Identifier: Apache-2.0
// Lanes as the server tells them, of a kind and a time.
import type { LaneAnswer, Lanes } from "../../src/timeline/data";
import { readLanes } from "../../src/timeline/data";

const row = (kind: string, classes: string | null, start_us: number, end_us: number) => ({
  rank: null, process: null, device: null, lane: "", title: "", detail: null, kind, classes, first_row: 0, rows: 1, spans: 1, start_us, end_us, busy_us: 1,
});
export const lanesOf = (...of: [kind: string, classes: string | null, start: number, end: number][]): Lanes =>
  readLanes({ rows: of.map((one) => row(...one)), steps: [] } as LaneAnswer);
