// SPDX-License-Identifier: Apache-2.0
// What tests and tools can read about the canvases: window.tfprof, read only.
import { useEffect } from "preact/hooks";

export interface Mark {
  kind: string;
  id: string;
  name: string;
  x: number; // in pixels of the window
  y: number;
  w: number;
  h: number;
  count: number;
}

export interface LaneFacts {
  id: string;
  name: string;
  kind: string; // compute, communication, copy, memory, host ...
  rank: number;
  group: string;
  open: boolean;
  pinned: boolean;
  spans: number;
}

export interface Picture {
  element: HTMLElement; // focusable and named
  marks: () => Mark[];
  view: () => { from: number; to: number };
  frames: () => number[]; // milliseconds of the last 240 frames
  lanes?: () => LaneFacts[];
}

type Name = "timeline" | "flame" | "memory" | "graph";

const pictures: Partial<Record<Name, Picture>> = {};
Object.defineProperty(window, "tfprof", { value: Object.freeze({ version: 1, pictures }), enumerable: true });

/** Registers a picture while its component is shown. `make` returns null until there is something to show. */
export function usePicture(name: Name, make: () => Picture | null, inputs: readonly unknown[]): void {
  useEffect(() => {
    const picture = make();
    if (!picture) return undefined;
    pictures[name] = picture;
    return () => {
      if (pictures[name] === picture) delete pictures[name];
    };
  }, inputs);
}
