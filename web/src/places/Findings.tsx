// SPDX-License-Identifier: Apache-2.0
// The findings of the checkers, sorted by their possible gain, with evidence. Findings about the data itself are folded.
import type { Finding } from "../results/findings";
import { coveredWords, useFindings } from "../results/findings";
import { Changes } from "../parts/Changes";
import { FindingHead, FindingRow } from "../parts/FindingRow";
import { Status } from "../parts/Status";
import { filters } from "../state/store";
import type { PlaceProps } from "./index";

export function FindingsPlace({ of }: PlaceProps) {
  const loaded = useFindings(of);
  const covered = coveredWords(filters.value);
  const rows = (list: Finding[], most: number) => list.map((f) => <FindingRow key={f.id} f={f} most={most} of={of} whole />);
  return (
    <>
      <h1 class="place-title">Findings <span class="s">by what can be gained in a step{covered && ` · ${covered}`}</span></h1>
      <Status of={loaded} calm>
        {(all) => {
          const [found, data] = [all.filter((f) => !f.quality), all.filter((f) => f.quality)];
          const most = Math.max(0, ...found.map((f) => f.gain ?? 0));
          return (
            <>
              <div role="grid" aria-label="Findings" aria-rowcount={found.length + 1}>
                <FindingHead />
                {rows(found, most)}
              </div>
              {!found.length && <p class="sentence">No checker found anything to gain.</p>}
              <Changes of={of} />
              {data.length > 0 && (
                <details class="quality">
                  <summary>{data.length} on the quality of the data</summary>
                  <div role="grid" aria-label="Findings on the data" aria-rowcount={data.length + 1}>
                    <FindingHead />
                    {rows(data, 0)}
                  </div>
                </details>
              )}
            </>
          );
        }}
      </Status>
    </>
  );
}
