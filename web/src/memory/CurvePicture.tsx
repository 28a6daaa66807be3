// SPDX-License-Identifier: Apache-2.0
// The curve of a device's memory: a click asks who held it at that time, a drag chooses a range of time.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { usePicture } from "../pictures/pictures";
import type { Window } from "../state/store";
import { useShownTheme } from "../state/theme";
import type { Curve } from "./curve";
import { PAD, drawCurve, frameOf } from "./curve";

const CLICK_PX = 4; // the pointer may move this far in a click

interface Props {
  curve: Curve;
  at: number;
  range: Window | null;
  onAt: (us: number) => void;
  onRange: (range: Window) => void;
}

export function CurvePicture({ curve, at, range, onAt, onRange }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [drag, setDrag] = useState<{ from: number; to: number; far: boolean } | null>(null); // in pixels
  const theme = useShownTheme();
  const frame = useMemo(() => frameOf(curve), [curve]);
  useEffect(() => {
    const watch = new ResizeObserver(([entry]) => entry && setWidth(entry.contentRect.width));
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  const room = Math.max(1, width - PAD.left - 4);
  const timeAt = (x: number): number => Math.min(frame.to, Math.max(frame.from, frame.from + ((x - PAD.left) / room) * (frame.to - frame.from)));
  const between = (a: number, b: number): Window => ({ from: +Math.min(a, b).toFixed(3), to: +Math.max(a, b).toFixed(3) });
  const dragged = drag?.far ? between(timeAt(drag.from), timeAt(drag.to)) : null;
  const marked = dragged ?? range;
  useEffect(() => {
    if (canvas.current && width) drawCurve(canvas.current, curve, frame, at, marked);
  }, [curve, frame, at, marked?.from, marked?.to, width, theme]);
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
    const moved = (us: number): number => Math.min(frame.to, Math.max(frame.from, us + (by * (frame.to - frame.from)) / 100));
    if (!e.shiftKey) return onAt(moved(at));
    // one end of the range stays at the chosen moment
    const end = moved(range && range.from < at ? range.from : (range?.to ?? at));
    if (end !== at) onRange(between(at, end));
  };
  const begin = (e: PointerEvent): void => {
    if (e.button !== 0) return;
    (e.currentTarget as Element).setPointerCapture(e.pointerId);
    setDrag({ from: e.offsetX, to: e.offsetX, far: false });
  };
  const move = (e: PointerEvent): void => {
    if (drag) setDrag({ ...drag, to: e.offsetX, far: drag.far || Math.abs(e.offsetX - drag.from) > CLICK_PX });
  };
  const end = (e: PointerEvent): void => {
    setDrag(null);
    if (dragged && dragged.to > dragged.from) onRange(dragged);
    else if (drag) onAt(timeAt(e.offsetX));
  };
  return (
    <div ref={box} class="memory-picture" tabIndex={0} role="application" aria-label={`Memory of ${curve.device} over time: the left and right keys choose the moment whose holders are listed, with shift a range`} onKeyDown={onKey} onPointerDown={begin} onPointerMove={move} onPointerUp={end} onPointerCancel={() => setDrag(null)}>
      <canvas ref={canvas} aria-hidden="true" />
    </div>
  );
}
