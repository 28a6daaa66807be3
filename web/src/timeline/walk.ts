// SPDX-License-Identifier: Apache-2.0
// Spans picked with the keyboard: the longest visible one first, then the neighbours of the selected one.
import type { Mark } from "../pictures/pictures";

const spansOf = (marks: Mark[]): Mark[] => marks.filter((m) => m.kind === "span" && m.count === 1);

export const longest = (marks: Mark[]): Mark | undefined => spansOf(marks).reduce<Mark | undefined>((best, m) => (best && best.w >= m.w ? best : m), undefined);

/** The nearest span beside the selected one in its row (across: -1 or 1), or in a row above or below it (down: -1 or 1). */
export function neighbour(marks: Mark[], id: string, across: number, down: number): Mark | undefined {
  const spans = spansOf(marks);
  const from = spans.find((m) => m.id === id);
  if (!from) return longest(marks);
  const middle = from.x + from.w / 2;
  const apart = (m: Mark): number => (down ? Math.abs(m.y - from.y) * 1e6 + Math.max(0, m.x - middle, middle - m.x - m.w) : Math.abs(m.x - from.x));
  const fits = spans.filter((m) => (down ? (m.y - from.y) * down > 0 : m.y === from.y && (m.x - from.x) * across > 0));
  return fits.sort((a, b) => apart(a) - apart(b))[0];
}
