// SPDX-License-Identifier: Apache-2.0
// The card beside the pointer: describes the item under the pointer in two or three lines.
import { cellText } from "../answers/api";
import { counted, formatMicros, formatShare } from "../text/format";
import type { Items } from "./data";
import { kindAt, nameAt, shortAt } from "./data";
import { counterText, sampleAt } from "./overlay";
import type { Hit } from "./scene";
import type { Stage } from "./stage";
import type { Hover } from "./useStage";

const WIDE = 320;

function SpanCard({ items, i, lane, zero }: { items: Items; i: number; lane: string; zero: number }) {
  const [times, start, length] = [items.times[i] ?? 1, items.start[i] ?? 0, (items.end[i] ?? 0) - (items.start[i] ?? 0)];
  const name = shortAt(items, i);
  if (times > 1)
    return (
      <>
        <b>{counted(times, "span")}</b>
        <div>busy {formatShare(items.busy[i] ?? 0, length)} of {formatMicros(length)}; the longest: {name}</div>
        <div class="s">a click comes closer</div>
      </>
    );
  const self = items.t.column("self_us");
  const at = items.count === items.t.rows ? i : -1;
  const selfUs = self && at >= 0 && !self.absent?.[at] ? self.values[at] : undefined;
  return (
    <>
      <b>{name}</b>
      <div class={kindAt(items, i)}><span class="dot" /> {formatMicros(length)}{selfUs !== undefined && selfUs !== length && `, self ${formatMicros(selfUs)}`}</div>
      <div class="s">{(items.class && cellText(items.class, i)) || cellText(items.kind, i)} · {lane} · at {formatMicros(start - zero)}</div>
      {name !== nameAt(items, i) && <div class="s mono">{nameAt(items, i).slice(0, 160)}</div>}
    </>
  );
}

function content(hit: Hit, zero: number) {
  if (hit.is === "span") return <SpanCard items={hit.items} i={hit.i} lane={[hit.place.lane.name, hit.place.lane.detail].filter(Boolean).join(" ")} zero={zero} />;
  if (hit.is === "step") return <><b>step {hit.step.step}</b><div>{formatMicros(hit.step.to - hit.step.from)}</div></>;
  if (hit.is === "counter") {
    const c = hit.track.counter;
    const i = sampleAt(c, hit.time);
    return <><b>{c.name}</b><div>{i < 0 ? "nothing yet" : counterText(c, c.value[i] ?? 0)}, at most {counterText(c, c.most)}</div></>;
  }
  return null;
}

export function Card({ hit: hover, stage, zero }: { hit: Hover | null; stage: Stage | null; zero: number }) {
  const shown = hover && content(hover.hit, zero);
  if (!hover || !stage || !shown) return null;
  const { width, height } = stage.scene;
  const left = hover.x + 14 + WIDE > width ? Math.max(0, hover.x - 14 - WIDE) : hover.x + 14;
  const low = hover.y > height - 110;
  return <div class="tl-card" style={{ left: `${left}px`, ...(low ? { bottom: `${height - hover.y + 12}px` } : { top: `${hover.y + 16}px` }) }}>{shown}</div>;
}
