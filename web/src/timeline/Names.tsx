// SPDX-License-Identifier: Apache-2.0
// The names of the lanes, left of the stage. A name stays visible as long as its lane is; buttons fold, pin, move and hide the lane.
import type { ComponentChildren } from "preact";
import { counted, formatMicros, formatShare } from "../text/format";
import { hideOrNot, move, pinOrNot, toggle } from "./arranged";
import type { Source } from "./data";
import { counterText } from "./overlay";
import type { GroupTrack, LaneTrack, Layout, Track } from "./layout";
import { tracksIn } from "./layout";
import { AXIS, BAND } from "./scene";

interface Props {
  layout: Layout;
  head: number; // height of the part that does not scroll
  top: number;
  height: number;
  steps: boolean;
  source: Source;
}

function Row({ track, y, level, expanded, children, class: look = "" }: { track: Track; y: number; level: number; expanded?: boolean | undefined; children: ComponentChildren; class?: string }) {
  return (
    <div role="row" aria-level={level} aria-expanded={expanded} class={`tl-name ${look}`} style={{ top: `${y}px`, height: `${track.h}px` }}>
      <div role="gridcell">{children}</div>
    </div>
  );
}

function LaneName({ track, y, own, focusable }: { track: LaneTrack; y: number; own: string[]; focusable: boolean }) {
  const { lane, pinned } = track;
  const several = lane.rows > 1;
  const title = `${lane.name} ${lane.detail}: ${counted(lane.spans, "span")}, busy ${formatMicros(lane.busy)}`;
  const act = (label: string, sign: string, what: () => void) => <button type="button" tabIndex={-1} aria-label={`${label} ${lane.name} ${lane.detail}`} data-hint={label} onClick={what}>{sign}</button>;
  return (
    <Row track={track} y={y} level={2} expanded={several ? track.open : undefined} class={`${lane.kind} lane`}>
      <span class="tl-words" data-hint={title}>
        <button type="button" class="tl-fold" tabIndex={focusable ? 0 : -1} onClick={() => several && toggle(lane.id)}>
          {lane.kind === "host" || lane.kind === "derived" ? null : <span class="dot" />}
          {several && !track.open ? "▸ " : ""}{lane.name}
        </button>
        <span class="s">{lane.detail}</span>
      </span>
      <span class="tl-acts">
        {act(pinned ? "Unpin" : "Pin", pinned ? "◆" : "◇", () => pinOrNot(lane.id))}
        {act("Move up", "↑", () => move(lane.id, -1, own))}
        {act("Move down", "↓", () => move(lane.id, 1, own))}
        {act("Hide", "×", () => hideOrNot(lane.id))}
      </span>
    </Row>
  );
}

function busyText(track: GroupTrack, source: Source): string {
  const { from, to } = source.lanes.all;
  // beside the rank's name there is no room for the word
  if (track.device) return `${track.name.includes("rank") ? "" : "busy "}${formatShare(track.busy, 1)}`;
  const threads = track.lanes.filter((l) => l.kind === "host");
  const active = threads.filter((l) => l.busy >= 0.01 * (to - from)).length;
  return `${active === threads.length ? "" : `${active} of `}${threads.length} ${threads.length === 1 ? "thread" : "threads"}`;
}

function nameOf(track: Track, y: number, p: Props, own: string[], focusable: boolean) {
  if (track.is === "lane") return <LaneName key={track.id} track={track} y={y} own={own} focusable={focusable} />;
  if (track.is === "counter")
    return (
      <Row key={track.id} track={track} y={y} level={2} class="memory">
        <span class="tl-words" data-hint={track.counter.name}><span class="tl-fold"><span class="dot" />{track.counter.name}</span></span>
        <span class="s tl-under">at most {counterText(track.counter, track.counter.most)}</span>
      </Row>
    );
  return (
    <Row key={track.id} track={track} y={y} level={1} expanded={track.open} class={track.is === "group" ? "group" : "fold"}>
      <span class="tl-words">
        <button type="button" class="tl-fold" tabIndex={focusable ? 0 : -1} onClick={() => toggle(track.id)}>{track.open ? "▾" : "▸"} {track.name}</button>
        {track.is === "group" && <span class="s">{busyText(track, p.source)}</span>}
      </span>
    </Row>
  );
}

/** The up and down keys move from name to name. */
function onArrow(e: KeyboardEvent): void {
  const by = e.key === "ArrowDown" ? 1 : e.key === "ArrowUp" ? -1 : 0;
  const all = [...(e.currentTarget as HTMLElement).querySelectorAll<HTMLElement>("button.tl-fold")];
  const at = all.indexOf(e.target as HTMLElement);
  if (!by || at < 0) return;
  e.preventDefault();
  all[at + by]?.focus();
}

export function Names(p: Props) {
  const { layout, head, top, height } = p;
  const shown = tracksIn(layout.tracks, top - 200, top + height + 200);
  const groups = layout.tracks.filter((t): t is GroupTrack => t.is === "group");
  const ownOf = (t: Track): string[] => (t.is === "lane" ? (groups.find((g) => g.lanes.includes(t.lane))?.lanes.map((l) => l.id) ?? []) : []);
  const first = layout.tracks.find((t) => t.is !== "counter");
  return (
    <div class="tl-names" role="treegrid" aria-label="Lanes" onKeyDown={onArrow}>
      {shown.map((t) => nameOf(t, head + t.y, p, ownOf(t), t === first))}
      <div class="tl-head" role="rowgroup" style={{ height: `${head}px` }}>
        {p.steps && <div role="row" class="tl-name" style={{ top: `${AXIS}px`, height: `${BAND}px` }}><div role="gridcell"><span class="tl-words"><span>steps</span></span></div></div>}
        {layout.pinned.map((t) => nameOf(t, AXIS + (p.steps ? BAND : 0) + t.y, p, ownOf(t), false))}
      </div>
    </div>
  );
}
