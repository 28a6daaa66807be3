// SPDX-License-Identifier: Apache-2.0
// The context bar: four filters with one meaning in all places, and the step in numbers under them.
import type { Opened } from "../opened";
import { change, filters, ignored } from "../store";
import { formatMicros } from "../format";

function Chip({ name, says, on, clear }: { name: string; says: string; on: boolean; clear: () => void }) {
  return (
    <span class={on ? "chip on" : "chip"}>
      <button type="button" aria-label={`${name} ${says}`}><i>{name}</i> {says}</button>
      {on && <button type="button" class="cross" aria-label={`Clear ${name.toLowerCase()}`} onClick={clear}>×</button>}
    </span>
  );
}

export function ContextBar({ of }: { of: Opened }) {
  const { ranks, steps, range, device } = filters.value;
  const all = of.facts.steps;
  const whole = all.length > 1 ? `${all[0]}–${all[all.length - 1]}` : `${all[0] ?? "none"}`;
  return (
    <div class="ctx" role="region" aria-label="Context">
      <Chip name="Ranks" says={ranks.length ? ranks.join(", ") : "all"} on={ranks.length > 0} clear={() => change({ ranks: [] })} />
      <Chip name="Steps" says={steps ? `${steps.from}–${steps.to}` : whole} on={steps !== null} clear={() => change({ steps: null })} />
      <Chip name="Range" says={range ? formatMicros(range.to - range.from) : "whole run"} on={range !== null} clear={() => change({ range: null })} />
      <Chip name="Device" says={device || "all"} on={device !== ""} clear={() => change({ device: "" })} />
      {ignored.value.length > 0 && <span class="s" role="status">ignored in the address: {ignored.value.join(", ")}</span>}
    </div>
  );
}
