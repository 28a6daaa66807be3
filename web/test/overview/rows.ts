// SPDX-License-Identifier: Apache-2.0
// Rows of steps for the tests of pictures of steps.
import type { StepRow } from "../../src/results/steps";

export const row = (rank: number, step: number, compute: number, idle: number): StepRow => ({
  rank, step, device: "gpu:0", start: 0, duration: compute + idle, communication: 0, copy: 0, kernels: 3, parts: { compute, exposed_communication: 0, exposed_copies: 0, idle },
});
export const steps = [row(0, 1, 60e3, 40e3), row(0, 2, 60e3, 40e3), row(0, 3, 60e3, 140e3)];
/** One step on each of so many ranks, each longer than the one before. */
export const ranks = (count: number): StepRow[] => Array.from({ length: count }, (_, r) => row(r, 1, 1e3 * (r + 1), 0));
