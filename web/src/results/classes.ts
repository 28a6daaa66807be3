// SPDX-License-Identifier: Apache-2.0
/** Colours of the classes of activities, which the library's tables and its timeline name alike. */
const COLOURS: Record<string, string> = { compute: "compute", communication: "communication", copy: "copy", set: "copy" };

export const lookOfClass = (word: string, other = "compute"): string => COLOURS[word] ?? other;
