// SPDX-License-Identifier: Apache-2.0
// The panel of a range of time.
import type { PanelProps } from "../details/kinds";
import { formatMicros } from "../format";

export function RangePanel({ thing }: PanelProps) {
  const [from = 0, to = 0] = thing.id.split("-").map(Number);
  return (
    <>
      <h2 class="title">{formatMicros(to - from)}</h2>
      <div class="s">range from {formatMicros(from)} to {formatMicros(to)}</div>
    </>
  );
}
