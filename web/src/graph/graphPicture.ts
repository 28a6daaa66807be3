// SPDX-License-Identifier: Apache-2.0
// The drawing of the dataflow graph as tests and tools see it, and how it is moved by dragging.
import type { RefObject } from "preact";
import { useRef } from "preact/hooks";
import type { Picture } from "./flow";
import { usePicture } from "../pictures/pictures";

type Ref = RefObject<HTMLDivElement | null>;

/** One mark per box, in pixels of the window. */
export function useGraphPicture(box: Ref, picture: Picture, pathOf: (row: number) => string): void {
  const marks = () =>
    picture.boxes.flatMap((b) => {
      const at = box.current?.querySelector(`#box-${b.row}`)?.getBoundingClientRect();
      return at ? [{ kind: "scope", id: pathOf(b.row), name: b.text, x: at.x, y: at.y, w: at.width, h: at.height, count: 1 }] : [];
    });
  usePicture("graph", () => box.current && { element: box.current, marks, view: () => ({ from: 0, to: picture.width }), frames: () => [] }, [picture]);
}

/** Dragging the background moves the drawing; a click on a box is still a click. */
export function useDrag(box: Ref) {
  const from = useRef<{ x: number; y: number; left: number; top: number } | null>(null);
  return {
    onPointerDown: (e: PointerEvent): void => {
      const at = box.current;
      if (at && e.button === 0 && e.pointerType === "mouse" && !(e.target as Element).closest(".box,.frame text")) from.current = { x: e.clientX, y: e.clientY, left: at.scrollLeft, top: at.scrollTop };
    },
    onPointerMove: (e: PointerEvent): void => {
      if (from.current && e.buttons === 1) box.current?.scrollTo(from.current.left + from.current.x - e.clientX, from.current.top + from.current.y - e.clientY);
    },
    onPointerUp: (): void => void (from.current = null),
  };
}
