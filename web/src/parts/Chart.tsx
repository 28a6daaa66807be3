// SPDX-License-Identifier: Apache-2.0
// A chart over a number on the x axis, in the colours of the page.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useShownTheme } from "../theme";

export interface Line {
  label: string;
  colour: string;
  scale: string; // lines of one scale share an axis: the first at the left, the second at the right
  format: (n: number) => string;
  mark: (n: number, step: number) => string; // label on the axis
  values: number[];
  fill?: string;
  dash?: number[];
  stepped?: boolean; // a value holds until the next one
}

interface Props {
  height: number;
  label: string; // for screen readers
  x: { label: string; values: number[]; format: (n: number) => string; mark: (n: number, step: number) => string };
  lines: Line[];
}

/** Every area and every bar begins at zero; otherwise a small difference would look large. */
const fromZero = { range: (_: uPlot, __: number, most: number): [number, number] => [0, most > 0 ? most * 1.05 : 1] };

/** Where the axes begin, for tests. */
function tellLeast(plot: uPlot, here: HTMLElement, lines: Line[]): void {
  here.dataset.least = String(Math.min(...lines.map((l) => plot.scales[l.scale]?.min ?? NaN)));
}

function optionsOf({ x, lines }: Props, here: HTMLElement): Omit<uPlot.Options, "width" | "height"> {
  const style = getComputedStyle(here);
  const axis = { stroke: style.color, grid: { stroke: style.borderTopColor, width: 0.5 }, ticks: { stroke: style.borderTopColor, width: 0.5 } };
  const marked = (mark: Line["mark"]): uPlot.Axis.DynamicValues => (_, ticks, __, ___, step) => ticks.map((v) => mark(v, step));
  const scales = [...new Map(lines.map((l) => [l.scale, l]))];
  const stepped = uPlot.paths.stepped?.({ align: 1 });
  return {
    hooks: { draw: [(plot) => tellLeast(plot, here, lines)] },
    scales: { x: { time: false }, ...Object.fromEntries(scales.map(([name]) => [name, fromZero])) },
    series: [
      { label: x.label, value: (_, v) => (v === null ? "" : x.format(v)) },
      ...lines.map((l): uPlot.Series => ({
        label: l.label,
        scale: l.scale,
        stroke: l.colour,
        width: l.fill ? 1.5 : 2,
        ...(l.fill ? { fill: l.fill } : {}),
        ...(l.dash ? { dash: l.dash } : {}),
        ...(l.stepped && stepped ? { paths: stepped, points: { show: false } } : {}),
        value: (_, v) => (v === null ? "" : l.format(v)),
      })),
    ],
    axes: [
      { ...axis, space: 90, values: marked(x.mark) },
      ...scales.map(([name, l], i): uPlot.Axis => ({ ...axis, scale: name, size: 80, values: marked(l.mark), ...(i ? { side: 1, grid: { show: false } } : {}) })),
    ],
  };
}

export function Chart(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const theme = useShownTheme();
  useEffect(() => {
    const here = box.current;
    if (!here) return undefined;
    const { height, x, lines } = props;
    const plot = new uPlot({ ...optionsOf(props, here), width: here.clientWidth, height }, [x.values, ...lines.map((l) => l.values)], here);
    const watch = new ResizeObserver(([entry]) => entry && plot.setSize({ width: entry.contentRect.width, height }));
    watch.observe(here);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [props.x.values, theme]);
  return <div ref={box} class="chart" role="img" aria-label={props.label} />;
}
