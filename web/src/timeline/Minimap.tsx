// SPDX-License-Identifier: Apache-2.0
// The minimap: the whole run with its steps and the devices' work, and the visible range. A drag moves that range.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { counted, formatMicros } from "../text/format";
import type { Window } from "../state/store";
import type { Items, Lane, LaneKind, Source } from "./data";
import { works } from "./busy";
import { kindAt, listOf } from "./data";
import type { Palette } from "./palette";
import { paletteOf } from "./palette";
import type { Stage } from "./stage";

const HEIGHT = 36;
const PX = 800;
const KINDS = ["compute", "communication", "copy", "host"] as const;

/** The rows of the first rank's streams, or of its busiest thread if there is no device. */
export function rowsOfMap(lanes: Lane[]): number[] {
  const rank = lanes[0]?.rank;
  const own = lanes.filter((l) => l.rank === rank && l.kind !== "derived");
  const devices = own.filter((l) => l.kind !== "host");
  const busiest = [...own].sort((a, b) => b.busy - a.busy).slice(0, 1);
  const rows = (devices.length ? devices : busiest).flatMap((l) => Array.from({ length: l.kind === "host" ? 1 : l.rows }, (_, i) => l.firstRow + i));
  return rows.sort((a, b) => a - b);
}

/** For each kind, its share of the time of each pixel. */
export function partsOf(d: Items, all: Window, width: number, device: boolean): Record<(typeof KINDS)[number], Float32Array> {
  const out = Object.fromEntries(KINDS.map((k) => [k, new Float32Array(width)])) as Record<(typeof KINDS)[number], Float32Array>;
  const each = (all.to - all.from) / width;
  for (let i = 0; i < d.count; i++) {
    const kind: LaneKind = kindAt(d, i);
    if (!works(d, i, device)) continue;
    const list = out[kind as (typeof KINDS)[number]] ?? out.host;
    const [start, end] = [(d.start[i] ?? 0) - all.from, (d.end[i] ?? 0) - all.from];
    const strong = Math.min(1, (d.busy[i] ?? 0) / Math.max(end - start, 1e-9));
    for (let k = Math.max(0, Math.floor(start / each)); k <= Math.min(width - 1, Math.floor(end / each)); k++) {
      const inside = Math.min(end, (k + 1) * each) - Math.max(start, k * each);
      list[k] = Math.min(1, (list[k] ?? 0) + (strong * inside) / each);
    }
  }
  return out;
}

function drawMap(canvas: HTMLCanvasElement, d: Items | null, source: Source, seen: Window, palette: Palette): void {
  const ratio = devicePixelRatio || 1;
  const width = canvas.clientWidth;
  canvas.width = width * ratio;
  canvas.height = HEIGHT * ratio;
  const pen = canvas.getContext("2d");
  if (!pen || !width) return;
  pen.scale(ratio, ratio);
  const { all, steps } = source.lanes;
  const x = (time: number): number => ((time - all.from) * width) / (all.to - all.from);
  pen.fillStyle = palette.panel;
  pen.fillRect(0, 0, width, HEIGHT);
  pen.font = "12px system-ui, sans-serif";
  pen.textBaseline = "middle";
  let free = -Infinity;
  for (const s of steps) {
    pen.fillStyle = palette.track;
    pen.fillRect(x(s.from), 2, Math.max(0.5, x(s.to) - x(s.from) - 1), HEIGHT - 4);
    const word = String(s.step);
    if (x(s.from) < free || x(s.to) - x(s.from) < pen.measureText(word).width + 6) continue;
    pen.fillStyle = palette.soft;
    pen.fillText(word, x(s.from) + 3, 11);
    free = x(s.from) + pen.measureText(word).width + 8;
  }
  const device = source.lanes.lanes.some((l) => l.rank === source.lanes.lanes[0]?.rank && l.kind !== "derived" && l.kind !== "host");
  if (d) drawParts(pen, partsOf(d, all, Math.ceil(width), device), palette);
  const [left, right] = [x(seen.from), Math.max(x(seen.to), x(seen.from) + 3)];
  pen.strokeStyle = palette.accent;
  pen.lineWidth = 1.5;
  pen.strokeRect(Math.max(0.75, left), 0.75, Math.min(width - 0.75, right) - Math.max(0.75, left), HEIGHT - 1.5);
}

function drawParts(pen: CanvasRenderingContext2D, parts: ReturnType<typeof partsOf>, palette: Palette): void {
  for (let k = 0; k < parts.host.length; k++) {
    let y = 33;
    for (const kind of KINDS) {
      const h = 14 * (parts[kind][k] ?? 0);
      pen.fillStyle = palette.kind[kind];
      if (h > 0.2) pen.fillRect(k, Math.max(18, y - h), 1, Math.min(h, y - 18));
      y -= h;
    }
  }
}

export function Minimap({ stage, source, seen, theme }: { stage: Stage | null; source: Source; seen: Window; theme: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [items, set] = useState<Items | null>(null);
  const [width, setWidth] = useState(0);
  const rows = useMemo(() => listOf(rowsOfMap(source.lanes.lanes)), [source]);
  useEffect(() => {
    const stop = new AbortController();
    source.items(source.lanes.all, rows, PX, "", stop.signal).then(set, () => undefined);
    return () => stop.abort();
  }, [source, rows]);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (canvas.current) watch.observe(canvas.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current) drawMap(canvas.current, items, source, seen, paletteOf(getComputedStyle(canvas.current)));
  }, [items, seen, theme, width]);
  const { all } = source.lanes;
  const go = (e: PointerEvent): void => {
    if (!e.buttons || !stage) return;
    (e.currentTarget as Element).setPointerCapture(e.pointerId);
    const [time, length] = [all.from + (e.offsetX / Math.max(1, width)) * (all.to - all.from), seen.to - seen.from];
    stage.glide.show({ from: time - length / 2, to: time + length / 2 });
    stage.ask();
  };
  return (
    <div class="tl-map">
      <span class="s">whole run {formatMicros(all.to - all.from)}</span>
      <canvas ref={canvas} role="img" aria-label={`the whole run of ${formatMicros(all.to - all.from)} with ${counted(source.lanes.steps.length, "step")}, and what is seen of it`} onPointerDown={go} onPointerMove={go} />
    </div>
  );
}
