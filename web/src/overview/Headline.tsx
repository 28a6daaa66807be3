// SPDX-License-Identifier: Apache-2.0
// The main number of a profile, and a sentence that says where the time goes.
import type { Table } from "../answers/api";
import { counted, formatPercent } from "../text/format";
import type { Opened } from "../state/opened";
import { ThingLink } from "../parts/Thing";
import { Quantity } from "../parts/Quantity";
import type { PartName, Quantities } from "../results/steps";
import { StepNotes } from "./StepNotes";
import { filters } from "../state/store";
import { numbers, plainName, texts, treeOf } from "../table/read";

/** The device's name for people. */
export const deviceWord = (device: string): string => (device.startsWith("gpu") ? "GPU" : device.startsWith("tpu") ? "TPU" : device.startsWith("cpu") ? "host" : "device");

const WORDS: Record<PartName, string> = { compute: "computes", exposed_communication: "communicates with nothing beside it", exposed_copies: "copies with nothing beside it", idle: "is idle" };

/** The op in which the host spends most time. */
export function busiestOp(t: Table | undefined): { name: string; share: number } | null {
  if (!t) return null;
  const { rows } = treeOf(t);
  const [name, host] = [texts(t, "name"), numbers(t, "cpu_micros")];
  let [best, all] = [-1, 0];
  for (const row of rows) {
    all += host(row) ?? 0;
    if (best < 0 || (host(row) ?? 0) > (host(best) ?? 0)) best = row;
  }
  return best >= 0 && all > 0 ? { name: name(best), share: (host(best) ?? 0) / all } : null;
}

function Sentence({ q, device, ops }: { q: Quantities; device: string; ops: Table | undefined }) {
  const share = (p: PartName): string => formatPercent(Math.round((100 * q.parts[p]) / q.mean)).replace(".0", "");
  const order = (Object.keys(q.parts) as PartName[]).sort((a, b) => q.parts[b] - q.parts[a]);
  const first = order[0] ?? "compute";
  const host = first === "idle" ? busiestOp(ops) : null;
  const busy: PartName = first === "compute" ? (order[1] ?? "idle") : "compute";
  return (
    <p class="sentence">
      The {deviceWord(device)} {WORDS[busy]} for {share(busy)} of a step; {share(first)} it <ThingLink kind="part" id={first}><b>{WORDS[first]}</b></ThingLink>
      {host && <>, while the host is in <ThingLink kind="op" id={host.name}>{plainName(host.name)}</ThingLink> for {formatPercent(100 * host.share)} of its time</>}.
    </p>
  );
}

export function Headline({ of, q, what, devices, ops }: { of: Opened; q: Quantities; what: string; devices: string[]; ops: Table | undefined }) {
  const { ranks } = filters.value;
  const device = devices[0] ?? "";
  return (
    <>
      <div class="big"><Quantity name="step.mean" of={what} value={q.mean} /> a step</div>
      <Sentence q={q} device={device} ops={ops} />
      <p class="s says">
        mean of {counted(q.steps, "step")}{q.steps > 1 && <>, ± {formatPercent(100 * q.spread)} · median <Quantity name="step.median" of={what} value={q.median} /></>}
        {" · "}{ranks.length ? `rank ${ranks.join(", ")}` : q.ranks > 1 ? `${q.ranks} ranks` : of.name}{devices.length ? `, ${devices.slice(0, 4).join(", ")}${devices.length > 4 ? " …" : ""}` : ""}
      </p>
      <StepNotes of={of} />
    </>
  );
}
