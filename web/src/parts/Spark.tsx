// SPDX-License-Identifier: Apache-2.0
// A sparkline: the values of a number since the page was opened.
interface SparkProps {
  of: (number | null)[]; // oldest first; null: unknown at that time
  name: string;
}

const WIDTH = 48;
const HEIGHT = 14;

/** The points of the line in pixels, from 0 at the bottom to the largest value at the top; a gap starts a new line. */
export function sparkPath(of: (number | null)[], width = WIDTH, height = HEIGHT): string {
  const most = Math.max(...of.map((v) => v ?? 0));
  const each = width / Math.max(of.length - 1, 1);
  let out = "";
  let pen = "M";
  of.forEach((v, i) => {
    if (v !== null) out += `${pen}${(i * each).toFixed(1)} ${(height - 1 - (most > 0 ? v / most : 0) * (height - 2)).toFixed(1)}`;
    pen = v === null ? "M" : "L";
  });
  return out;
}

export function Spark({ of, name }: SparkProps) {
  if (of.filter((v) => v !== null).length < 2) return <svg class="spark" width={WIDTH} height={HEIGHT} aria-hidden="true" />;
  return <svg class="spark" width={WIDTH} height={HEIGHT} role="img" aria-label={`${name} since this page is open`}><path d={sparkPath(of)} /></svg>;
}
