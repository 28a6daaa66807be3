// SPDX-License-Identifier: Apache-2.0
// A step at the limits of its device, in a line and a sentence; below them the bar of all device time with its parts.
import type { Limits, LimitRow, LimitsSummary, Parts } from "../results/limits";
import { KIND_BY, partsOf } from "../results/limits";
import { ThingLink } from "../parts/Thing";
import { counted, formatMicros, formatPercent, formatShare, formatStep } from "../text/format";
import type { Named } from "./content";
import { PARTS } from "./content";

/** The row that loses most. */
export const worstOf = (rows: LimitRow[]): LimitRow | undefined => rows.reduce<LimitRow | undefined>((a, b) => ((b.loss_us ?? 0) > (a?.loss_us ?? 0) ? b : a), undefined);

function Big({ s }: { s: LimitsSummary }) {
  if (s.step_us === null || s.bound_us === null) return null;
  const gain = s.gain_us ?? 0;
  return (
    <p class="big">
      {formatStep(s.step_us)} → {formatStep(s.bound_us)} <span class="s">a step at the limits of its device{gain > 0 && `: at most ${formatPercent((100 * gain) / s.step_us)} faster`}{s.bound_by === "sum" ? ", by the sum of all loss" : ""}</span>
    </p>
  );
}

function Sentence({ s, rows, by, name }: { s: LimitsSummary; rows: LimitRow[]; by: Named; name: (row: LimitRow) => string }) {
  const worst = worstOf(rows);
  const judged = formatPercent(100 * (s.judged_share ?? 0));
  if (s.ideal_us === null) return <p class="sentence">{judged} of {formatMicros(s.device_us)} of device time is in calls with known sizes; the limits of the device are not known.</p>;
  return (
    <p class="sentence">
      {judged} of {formatMicros(s.device_us)} of device time is judged: it takes {formatMicros(s.judged_us)} and could take {formatMicros(s.ideal_us)}
      {worst && <>; most is lost in <ThingLink kind={KIND_BY[by]} id={worst.name} full={worst.name}>{name(worst)}</ThingLink> ({formatMicros(worst.loss_us ?? 0)}{worst.efficiency !== null && `, at ${formatPercent(100 * worst.efficiency)} of its limit`})</>}.
    </p>
  );
}

function Facts({ s }: { s: LimitsSummary }) {
  const words = [
    s.device ?? "unknown device",
    s.mfu === null ? "" : `MFU ${formatPercent(100 * s.mfu)}`,
    s.bandwidth_use === null ? "" : `bandwidth ${formatPercent(100 * s.bandwidth_use)}`,
    s.latency_calls ? `${counted(s.latency_calls, "call")} shorter than the shortest kernel, ${formatMicros(s.latency_us ?? 0)}` : "",
    s.fuse_gain_us ? `chains of kernels: at most ${formatMicros(s.fuse_gain_us)} to gain${s.steps > 1 ? " in all steps" : ""}` : "",
  ];
  return <p class="s says">{words.filter(Boolean).join(" · ")}</p>;
}

export function Headline({ limits, rows, by, name }: { limits: Limits; rows: LimitRow[]; by: Named; name: (row: LimitRow) => string }) {
  const s = limits.summary;
  return (
    <>
      <Big s={s} />
      <Sentence s={s} rows={rows} by={by} name={name} />
      <Facts s={s} />
    </>
  );
}

/** The device time of all rows in its parts. */
export function PartsBar({ rows, floor }: { rows: LimitRow[]; floor: number }) {
  const sums: Parts = { ideal: 0, loss: 0, latency: 0, unjudged: 0 };
  for (const row of rows) {
    const parts = partsOf(row, floor);
    for (const { name } of PARTS) sums[name] += parts[name];
  }
  const whole = PARTS.reduce((all, p) => all + sums[p.name], 0);
  const shown = PARTS.filter((p) => sums[p.name] > 0);
  const words = shown.map((p) => `${p.title} ${formatMicros(sums[p.name])}`).join(", ");
  return (
    <>
      <div class="bar" role="img" aria-label={`Device time of ${formatMicros(whole)}: ${words}`}>
        {shown.map((p) => <span key={p.name} class={`seg ${p.look}`} style={{ flex: `${sums[p.name] / whole}` }} data-hint={`${p.title} ${formatMicros(sums[p.name])}`} />)}
      </div>
      <div class="parts">
        {shown.map((p) => (
          <span key={p.name} class={p.look} data-hint={p.help}>
            <span class={`dot ${p.look}`} /> {p.title}
            <br />
            <span class="num-big">{formatMicros(sums[p.name])}</span> <span class="s">{formatShare(sums[p.name], whole)}</span>
          </span>
        ))}
      </div>
    </>
  );
}
