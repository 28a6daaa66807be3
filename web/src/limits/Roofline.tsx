// SPDX-License-Identifier: Apache-2.0
// The roofline: how many float operations a second each row does, beside what the device can do at most with as many bytes.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Limits, LimitRow } from "../results/limits";
import { KIND_BY, peaksOf } from "../results/limits";
import { ThingLink } from "../parts/Thing";
import { sameThing, sel } from "../state/store";
import { formatCount, formatPercent } from "../text/format";
import type { Named } from "./content";
import { bytesPerSecond, perSecond, plainChain } from "./content";
import { frameOf, labelsOf, marksOf, pointsOf, radiusOf, roofsOf, slopeOf, xOf, yOf } from "./geometry";

const HEIGHT = 280;

interface Props {
  limits: Limits;
  rows: LimitRow[];
  by: Named;
  types: string[]; // of the products
  name: (row: LimitRow) => string;
}

/** A power of ten without decimals: 0.1, 10, 100 G. */
const markOf = (n: number): string => (n < 1000 ? String(n) : formatCount(n).replace(/\.0+/, ""));
const LOOKS: Record<string, string> = { compute: "compute", memory: "copy", latency: "short" };

export function Roofline({ limits, rows, by, types, name }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const points = useMemo(() => pointsOf(rows), [rows]);
  const roofs = useMemo(() => roofsOf(peaksOf(limits.summary.peak_flops), types), [limits, types]);
  const bandwidth = limits.summary.peak_bandwidth ?? 0;
  const drawn = points.length > 0 && roofs.length > 0 && bandwidth > 0;
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setWidth(Math.floor(entry.contentRect.width)));
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, [drawn]);
  if (!drawn) return null;
  const f = frameOf(points, roofs, bandwidth, Math.max(240, width), HEIGHT);
  const most = Math.max(...roofs.map((r) => r.flops));
  const slope = slopeOf(f, bandwidth, most);
  return (
    <figure class="roofline" ref={box}>
      <figcaption><b>Roofline</b> <span class="s">float operations a second, by float operations a byte; size: share of device time</span></figcaption>
      {width > 0 && (
        <svg width={width} height={HEIGHT} role="group" aria-label="Roofline">
          {marksOf(f.x).map((n) => <g key={`x${n}`} class="mark"><line x1={xOf(f, n)} x2={xOf(f, n)} y1={f.top} y2={f.bottom} /><text x={xOf(f, n)} y={f.bottom + 14} text-anchor="middle">{markOf(n)}</text></g>)}
          {marksOf(f.y).map((n) => <g key={`y${n}`} class="mark"><line x1={f.left} x2={f.right} y1={yOf(f, n)} y2={yOf(f, n)} /><text x={f.left - 6} y={yOf(f, n) + 4} text-anchor="end">{markOf(n)}</text></g>)}
          <text class="axis" x={(f.left + f.right) / 2} y={HEIGHT - 6} text-anchor="middle">float operations a byte</text>
          <line class="roof" {...slope} />
          <text class="axis" x={slope.x1 + 6} y={Math.max(f.top + 10, slope.y1 - 8)} transform={`rotate(${(Math.atan2(slope.y2 - slope.y1, slope.x2 - slope.x1) * 180) / Math.PI} ${slope.x1 + 6} ${slope.y1 - 8})`}>{bytesPerSecond(bandwidth)}</text>
          {roofs.map((r) => <g key={r.name}><line class="roof" x1={xOf(f, r.flops / bandwidth)} x2={f.right} y1={yOf(f, r.flops)} y2={yOf(f, r.flops)} /><text class="axis" x={f.right} y={yOf(f, r.flops) + (r.below ? 13 : -4)} text-anchor="end">{r.name} {perSecond(r.flops)}</text></g>)}
          {[...points].reverse().map((p) => {
            const thing = { kind: KIND_BY[by], id: p.row.name };
            const said = `${name(p.row)}: ${perSecond(p.flops)}, ${p.intensity.toPrecision(3)} operations a byte${p.row.efficiency === null ? "" : `, ${formatPercent(100 * p.row.efficiency)} of its limit`}`;
            return (
              <ThingLink key={p.row.name} kind={thing.kind} id={thing.id} hint={said} class={`point ${LOOKS[p.row.bound ?? ""] ?? "host"}${sameThing(sel.value, thing) ? " now" : ""}`}>
                <circle cx={xOf(f, p.intensity)} cy={yOf(f, p.flops)} r={radiusOf(p.share)} />
              </ThingLink>
            );
          })}
          {labelsOf(f, points, (row) => plainChain(name(row))).map((l) => <text key={l.text} class="label" x={l.x} y={l.y} text-anchor={l.end ? "end" : "start"} aria-hidden="true">{l.text}</text>)}
        </svg>
      )}
    </figure>
  );
}
