// SPDX-License-Identifier: Apache-2.0
// The curve of a device's memory: a click asks who held it at that time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePicture } from "../pictures/pictures";
import { useShownTheme } from "../state/theme";
import type { Curve } from "./curve";
import { PAD, drawCurve, frameOf } from "./curve";

export function CurvePicture({ curve, at, onAt }: { curve: Curve; at: number; onAt: (us: number | null) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const theme = useShownTheme();
  const frame = useMemo(() => frameOf(curve), [curve]);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useEffect(() => {
    if (canvas.current && width) drawCurve(canvas.current, curve, frame, at);
  }, [curve, frame, at, width, theme]);
  const room = Math.max(1, width - PAD.left - 4);
  const timeAt = (x: number): number => Math.min(frame.to, Math.max(frame.from, frame.from + ((x - PAD.left) / room) * (frame.to - frame.from)));
  usePicture("memory", () => box.current && {
    element: box.current,
    marks: () => {
      const b = box.current?.getBoundingClientRect();
      return [{ kind: "peak", id: String(curve.at[curve.peak] ?? 0), name: "peak", x: (b?.x ?? 0) + PAD.left + (((curve.at[curve.peak] ?? 0) - frame.from) / (frame.to - frame.from)) * room, y: b?.y ?? 0, w: 1, h: b?.height ?? 0, count: 1 }];
    },
    view: () => ({ from: frame.from, to: frame.to }),
    frames: () => [],
  }, [curve, width]);
  const onKey = (e: KeyboardEvent): void => {
    const by = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!by) return;
    e.preventDefault();
    onAt(Math.min(frame.to, Math.max(frame.from, at + (by * (frame.to - frame.from)) / 100)));
  };
  return (
    <div ref={box} class="memory-picture" tabIndex={0} role="application" aria-label={`Memory of ${curve.device} over time: the left and right keys choose the moment whose holders are listed`} onKeyDown={onKey} onClick={(e) => onAt(timeAt(e.offsetX))}>
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}
