// SPDX-License-Identifier: Apache-2.0
// Memory over time, a chart for each device, and the nodes that held it at the peak.
import { useMemo } from "preact/hooks";
import type { ProfileFacts, Table } from "../api";
import { cellText, profilePath, table } from "../api";
import { commandWords } from "../command";
import { formatBytes, formatMicros, formatShare, markBytes, markMicros } from "../format";
import { isReport, reportStep } from "../held";
import { useLoaded } from "../load";
import type { Line } from "../parts/Chart";
import { Chart } from "../parts/Chart";
import { StepField } from "../parts/Fields";
import { Means } from "../parts/Means";
import { Status } from "../parts/Status";
import type { Route } from "../route";

interface Holder {
  name: string;
  op: string;
  bytes: number;
}

interface Device {
  name: string;
  at: number[]; // microseconds from the first
  held: number[]; // bytes
  peak: number; // index in held
  holders: Holder[];
}

/** Rows come by device and time; rows known only from an allocator have no held bytes. */
function devicesOf(t: Table, nodes: Table): Device[] {
  const [device, at, held] = ["device", "at_us", "held_bytes"].map((n) => t.column(n));
  const found = new Map<string, Device>();
  for (let i = 0; i < t.rows && device && at && held; i++) {
    if (held.absent?.[i]) continue;
    const key = cellText(device, i);
    const d = found.get(key) ?? { name: key || "(no device)", at: [], held: [], peak: 0, holders: [] };
    d.at.push(at.values[i] ?? 0);
    d.held.push(held.values[i] ?? 0);
    if ((held.values[i] ?? 0) > (d.held[d.peak] ?? 0)) d.peak = d.held.length - 1;
    found.set(key, d);
  }
  const [where, name, op, bytes] = ["device", "name", "op", "bytes"].map((n) => nodes.column(n));
  for (let i = 0; i < nodes.rows && where && name && op && bytes; i++)
    found.get(cellText(where, i))?.holders.push({ name: cellText(name, i), op: cellText(op, i), bytes: bytes.values[i] ?? 0 });
  for (const d of found.values()) d.holders = d.holders.sort((a, b) => b.bytes - a.bytes).slice(0, 25);
  return [...found.values()];
}

function Holders({ holders, peak }: { holders: Holder[]; peak: number }) {
  return (
    <table class="list narrow">
      <caption>Nodes that held memory at the peak</caption>
      <thead>
        <tr><th scope="col">Node</th><th scope="col">Operation</th><th scope="col" class="number">Bytes</th><th scope="col" class="number">Share</th></tr>
      </thead>
      <tbody>
        {holders.map((h) => (
          <tr key={h.name}>
            <td>{h.name}</td>
            <td>{h.op}</td>
            <td class="number">{formatBytes(h.bytes)}</td>
            <td class="number">{formatShare(h.bytes, peak)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function DeviceMemory({ device }: { device: Device }) {
  const peak = device.held[device.peak] ?? 0;
  const held: Line = { label: "held", colour: "#0072b2", fill: "rgba(86,180,233,0.3)", scale: "y", stepped: true, format: formatBytes, mark: markBytes, values: device.held };
  return (
    <section>
      <h2>{device.name}</h2>
      <p>
        Peak <strong>{formatBytes(peak)}</strong> at {formatMicros(Math.round(device.at[device.peak] ?? 0))}.
      </p>
      <Chart
        height={260}
        label={`memory of ${device.name} over time; its peak is ${formatBytes(peak)}`}
        x={{ label: "time", values: device.at, format: (us) => formatMicros(Math.round(us)), mark: markMicros }}
        lines={[held]}
      />
      <Holders holders={device.holders} peak={peak} />
    </section>
  );
}

export function Memory({ route, files, facts }: { route: Route; files: string[]; facts: ProfileFacts }) {
  const trace = facts.has?.trace ?? false;
  // memory has no mean over steps: TensorFlow's files show the last step, traces all
  const asked = route.params.get("step") ?? "";
  const step = asked || (trace ? "" : String(facts.steps[facts.steps.length - 1] ?? ""));
  const query = new URLSearchParams(isReport ? (reportStep ? { step: reportStep } : {}) : asked ? { step: asked } : {});
  const report = profilePath(route.id, `views/memory?${query.toString()}`);
  const loaded = useLoaded(report, async (signal, progress) => {
    const t = await table(`${report}&by=time&format=columns`, signal, progress);
    return { t, nodes: await table(`${report}&by=node&format=columns`, signal) };
  });
  const devices = useMemo(() => (loaded.value ? devicesOf(loaded.value.t, loaded.value.nodes) : []), [loaded.value]);
  return (
    <section class="old">
      <h1>Memory</h1>
      {!isReport && facts.steps.length > 0 && (
        <form class="controls" onSubmit={(e) => e.preventDefault()}>
          <StepField route={route} steps={facts.steps} step={step} all={trace ? "all" : ""} />
        </form>
      )}
      <Means words={commandWords("memory", files, query)} path={report} file="memory" />
      <Status of={loaded}>
        {({ t }) => (
          <>
            {t.notes.map((note) => <p key={note} class="note">{note}</p>)}
            {devices.length ? devices.map((d) => <DeviceMemory key={d.name} device={d} />) : <p class="empty">No device held memory in this step.</p>}
          </>
        )}
      </Status>
    </section>
  );
}
