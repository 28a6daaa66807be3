// SPDX-License-Identifier: Apache-2.0
// The critical path of a step, summed by name, with the gain that each name could have.
import type { Table } from "../answers/api";
import { formatMicros, formatPercent } from "../text/format";
import type { Opened } from "../state/opened";
import { ShortName } from "../parts/ShortName";
import { ThingLink } from "../parts/Thing";
import { numbers, texts } from "../table/read";

const LOOKS: Record<string, string> = { compute: "compute", communication: "communication", copy: "copy", gap: "idle", host: "host", launch: "host", synchronize: "host" };
const MOST = 12;

export function CriticalPath({ t, of }: { t: Table; of: Opened }) {
  const [look, name] = [texts(t, "class"), texts(t, "name")];
  const [total, share, gain] = ["total_us", "share", "gain_us"].map((n) => numbers(t, n)) as [(r: number) => number | null, (r: number) => number | null, (r: number) => number | null];
  const most = total(0) ?? 1;
  return (
    <>
      <h2>Critical path <span class="s">what a step waits for, one after the other; a gap is named by what runs after it</span></h2>
      {Array.from({ length: Math.min(MOST, t.rows) }, (_, i) => (
        <div key={i} class={`toprow ${LOOKS[look(i)] ?? "compute"}`} data-hint={`at most ${formatMicros(gain(i) ?? 0)} a step to gain`}>
          <span class={`dot ${LOOKS[look(i)] ?? "compute"}`} />
          <ThingLink kind={LOOKS[look(i)] === "host" ? "op" : "kernel"} id={name(i)} full={name(i)} class="nm">
            {look(i) === "gap" && "gap before "}{LOOKS[look(i)] === "host" ? name(i) : <ShortName of={of} name={name(i)} />}
          </ThingLink>
          <span class="num" />
          <span class="num">{formatMicros(total(i) ?? 0)}</span>
          <span class="track" aria-hidden="true"><i style={{ width: `${(100 * (total(i) ?? 0)) / most}%` }} /></span>
          <span class="num">{formatPercent(100 * (share(i) ?? 0))}</span>
        </div>
      ))}
    </>
  );
}
