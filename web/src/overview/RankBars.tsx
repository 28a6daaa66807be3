// SPDX-License-Identifier: Apache-2.0
// One bar per rank; for many ranks the fastest, the median and the slowest, and a strip of all.
import { formatStep } from "../text/format";
import { ThingLink } from "../parts/Thing";
import type { Quantities, StepRow } from "../results/steps";
import { groupBy, quantitiesOf } from "../results/steps";
import { Bar } from "./PartsBar";

const MOST = 16;

interface RankOf {
  rank: number;
  q: Quantities;
  word: string;
}

function chosen(all: RankOf[]): RankOf[] {
  if (all.length <= MOST) return all;
  const by = [...all].sort((a, b) => a.q.mean - b.q.mean);
  const [fast, mid, slow] = [by[0], by[by.length >> 1], by[by.length - 1]] as [RankOf, RankOf, RankOf];
  return [{ ...fast, word: "fastest" }, { ...mid, word: "median" }, { ...slow, word: "slowest" }];
}

export function RankBars({ rows }: { rows: StepRow[] }) {
  const all = [...groupBy(rows, (r) => r.rank)].sort(([a], [b]) => a - b).map(([rank, of]): RankOf => ({ rank, q: quantitiesOf(of), word: "" }));
  if (all.length < 2) return null;
  const longest = Math.max(...all.map((r) => r.q.mean));
  return (
    <>
      <h2>Ranks <span class="s">a step of each, on one scale</span></h2>
      {chosen(all).map(({ rank, q, word }) => (
        <div class={word ? "rankbar worded" : "rankbar"} key={rank}>
          <ThingLink kind="rank" id={String(rank)}>rank {rank}</ThingLink>
          {word && <span class="s">{word}</span>}
          <div style={{ width: `${(100 * q.mean) / longest}%` }}><Bar parts={q.parts} whole={q.mean} label={`rank ${rank}: ${formatStep(q.mean)} a step`} /></div>
          <span class="num">{formatStep(q.mean)}</span>
        </div>
      ))}
      {all.length > MOST && (
        <div class="strip">
          {all.map(({ rank, q }) => (
            <ThingLink key={rank} kind="rank" id={String(rank)} class="" hint={`rank ${rank}: ${formatStep(q.mean)}`}>
              <i style={{ height: `${(100 * q.mean) / longest}%` }} /><span class="away">rank {rank}</span>
            </ThingLink>
          ))}
        </div>
      )}
    </>
  );
}
