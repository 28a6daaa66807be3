// Memory over time, a chart a device, and who held it at the peak.
import { useEffect, useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { ProfileFacts, Table } from "../api";
import { cellText, table } from "../api";
import { formatBytes, formatMicros, formatShare } from "../format";
import { useLoaded } from "../load";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";

interface Holder {
  name: string;
  op: string;
  bytes: number;
}

interface Device {
  name: string;
  at: number[]; // microseconds from the first
  held: number[]; // bytes
  peak: number; // place in held
  holders: Holder[];
}

/** Rows come by device and time; those that only an allocator told of have no held bytes. */
/** Powers of two, as bytes are told. */
const BYTE_STEPS = Array.from({ length: 50 }, (_, i) => 2 ** i);

function devicesOf(t: Table, peak: Table): Device[] {
  const [device, at, held] = ["device", "at_us", "held_bytes"].map((n) => t.column(n));
  const found = new Map<string, Device>();
  let first = Infinity;
  for (let i = 0; i < t.rows && at; i++) first = Math.min(first, at.values[i] ?? 0);
  for (let i = 0; i < t.rows && device && at && held; i++) {
    if (held.absent?.[i]) continue;
    const key = cellText(device, i) || "(unknown device)";
    const d = found.get(key) ?? { name: key, at: [], held: [], peak: 0, holders: [] };
    d.at.push((at.values[i] ?? 0) - first);
    d.held.push(held.values[i] ?? 0);
    if ((held.values[i] ?? 0) > (d.held[d.peak] ?? 0)) d.peak = d.held.length - 1;
    found.set(key, d);
  }
  const [who, name, op, bytes] = ["device", "name", "op", "bytes"].map((n) => peak.column(n));
  for (let i = 0; i < peak.rows && who && name && op && bytes; i++)
    found.get(cellText(who, i))?.holders.push({ name: cellText(name, i), op: cellText(op, i), bytes: bytes.values[i] ?? 0 });
  for (const d of found.values()) d.holders = d.holders.sort((a, b) => b.bytes - a.bytes).slice(0, 25);
  return [...found.values()];
}

function Chart({ device }: { device: Device }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const here = box.current;
    if (!here) return undefined;
    const style = getComputedStyle(here);
    const axis = { stroke: style.color, grid: { stroke: style.borderTopColor, width: 0.5 } };
    const plot = new uPlot(
      {
        width: here.clientWidth,
        height: 260,
        scales: { x: { time: false } },
        legend: { show: true },
        series: [
          { label: "time", value: (_, v) => (v === null ? "" : formatMicros(Math.round(v))) },
          { label: "held", stroke: "#0072b2", fill: "rgba(86,180,233,0.3)", width: 1.5, paths: uPlot.paths.stepped?.({ align: 1 }) as uPlot.Series.PathBuilder, points: { show: false }, value: (_, v) => (v === null ? "" : formatBytes(v)) },
        ],
        axes: [
          { ...axis, space: 90, values: (_, ticks) => ticks.map((v) => formatMicros(v)) },
          { ...axis, size: 80, incrs: BYTE_STEPS, values: (_, ticks) => ticks.map((v) => formatBytes(v)) },
        ],
      },
      [device.at, device.held],
      here,
    );
    const watch = new ResizeObserver(([entry]) => entry && plot.setSize({ width: entry.contentRect.width, height: 260 }));
    watch.observe(here);
    return () => {
      watch.disconnect();
      plot.destroy();
    };
  }, [device]);
  const peak = device.held[device.peak] ?? 0;
  return (
    <section>
      <h2>{device.name}</h2>
      <p>
        Peak <strong>{formatBytes(peak)}</strong> at {formatMicros(Math.round(device.at[device.peak] ?? 0))}.
      </p>
      <div ref={box} class="chart" role="img" aria-label={`memory of ${device.name} over time; its peak is ${formatBytes(peak)}`} />
      <table class="list narrow">
        <caption>Who held it at the peak</caption>
        <thead>
          <tr><th scope="col">Node</th><th scope="col">Operation</th><th scope="col" class="number">Bytes</th><th scope="col" class="number">Share</th></tr>
        </thead>
        <tbody>
          {device.holders.map((h) => (
            <tr key={h.name}>
              <td>{h.name}</td>
              <td>{h.op}</td>
              <td class="number">{formatBytes(h.bytes)}</td>
              <td class="number">{formatShare(h.bytes, peak)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export function Memory({ route, facts }: { route: Route; facts: ProfileFacts }) {
  const step = route.params.get("step") ?? String(facts.steps[0] ?? 0);
  const base = `/api/v1/profiles/${route.id}`;
  const query = `step=${encodeURIComponent(step)}&format=columns`;
  const loaded = useLoaded(`${base}/memory?${query}`, async (signal, progress) => {
    const t = await table(`${base}/memory?${query}`, signal, progress);
    return { t, peak: await table(`${base}/peak?${query}`, signal) };
  });
  const devices = useMemo(() => (loaded.value ? devicesOf(loaded.value.t, loaded.value.peak) : []), [loaded.value]);
  return (
    <main>
      <h1>Memory</h1>
      <form class="controls" onSubmit={(e) => e.preventDefault()}>
        <div class="field">
          <label for="step">step</label>
          <select id="step" value={step} onChange={(e) => go(withParams(route, { step: e.currentTarget.value }))}>
            {facts.steps.map((s) => <option key={s} value={String(s)}>{s}</option>)}
          </select>
        </div>
      </form>
      <Status of={loaded}>
        {({ t }) =>
          devices.length ? (
            <>
              {t.notes.map((note) => <p key={note} class="note">{note}</p>)}
              {devices.map((d) => <Chart key={d.name} device={d} />)}
            </>
          ) : (
            <p class="empty">
              No allocation was recorded in this step. Allocators of accelerators tell theirs; for what each operation holds,
              choose bytes, peak bytes or residual bytes in the scope view.
            </p>
          )
        }
      </Status>
    </main>
  );
}
