// SPDX-License-Identifier: Apache-2.0
// The colours of the timeline, from the page's style: the colour shows the kind; 0, 12 or 24 % of the text's colour is mixed in, so that neighbours
// differ.

export const SHADES = 3;
const KINDS = ["compute", "communication", "copy", "host", "memory"] as const;
export const TONES = KINDS.length * SHADES;
const MIX = 0.12;

export type Rgb = [number, number, number]; // 0 to 1

export interface Palette {
  tones: string[]; // by kind and shade
  values: Float32Array; // the same for the GPU
  paper: Rgb;
  rule: Rgb; // of the axis
  ink: string;
  soft: string;
  line: string;
  panel: string;
  background: string;
  onmark: string;
  accent: string;
  accentPaper: string;
  track: string;
  kind: Record<(typeof KINDS)[number], string>;
}

export function readColour(text: string): Rgb {
  const hex = text.trim().replace("#", "");
  const wide = hex.length === 3 ? [...hex].map((c) => c + c).join("") : hex;
  const n = parseInt(wide, 16);
  return [(n >> 16) / 255, ((n >> 8) & 255) / 255, (n & 255) / 255];
}

const mixed = (a: Rgb, b: Rgb, part: number): Rgb => a.map((v, i) => v + ((b[i] ?? 0) - v) * part) as Rgb;
const written = (c: Rgb): string => `rgb(${c.map((v) => Math.round(v * 255)).join(" ")})`;

export function paletteOf(style: { getPropertyValue: (name: string) => string }): Palette {
  const of = (name: string): string => style.getPropertyValue(`--${name}`).trim() || "#888888";
  const ink = readColour(of("ink"));
  const rgb = KINDS.flatMap((kind) => Array.from({ length: SHADES }, (_, i) => mixed(readColour(of(kind)), ink, i * MIX)));
  return {
    tones: rgb.map(written),
    values: new Float32Array(rgb.flat()),
    paper: readColour(of("bg")), rule: readColour(of("line")),
    ink: of("ink"), soft: of("ink2"), line: of("line"), panel: of("panel"), background: of("bg"), onmark: of("onmark"), accent: of("accent"), accentPaper: of("accentbg"), track: of("track"),
    kind: Object.fromEntries(KINDS.map((kind) => [kind, of(kind)])) as Palette["kind"],
  };
}
