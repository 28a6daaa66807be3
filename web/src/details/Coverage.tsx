// SPDX-License-Identifier: Apache-2.0
// How much of the device's time has a place in the model, by certainty, and why the rest has none (docs/graphs.md).
import { COVERAGE_SQL } from "../answers/asks";
import { profilePath } from "../answers/api";
import { useTable } from "../answers/data";
import { formatMicros, formatPercent } from "../text/format";
import type { Opened } from "../state/opened";
import { numbers, texts } from "../table/read";
import { Pair, Section } from "./Section";

export interface CoverageRow {
  word: string; // a class, or a reason
  known: boolean;
  us: number;
}

const WHY: Record<string, string> = {
  launch: "a launch of its own", unique: "every captured launch that fits has this place", order: "the order of the replays leaves one", partial: "what the places that are left share",
  id: "the event names its place", name: "TorchInductor knows the line", annotated: "the program named it at capture", "no capture": "give the trace of the capture: --capture_path", "no match": "no captured graph fits",
  ambiguous: "too many captured graphs fit", "no launch": "its launch was not recorded",
};

/** The rows of the table, those with a place first, most time first. */
export function coverageRows(count: number, row: (i: number) => { class: string; reason: string; us: number }): CoverageRow[] {
  const rows = Array.from({ length: count }, (_, i) => row(i)).map((r): CoverageRow => ({ word: r.class === "none" ? r.reason : r.class, known: r.class !== "none", us: r.us }));
  return rows.filter((r) => r.us > 0).sort((a, b) => Number(b.known) - Number(a.known) || b.us - a.us);
}

export function Coverage({ of }: { of: Opened }) {
  const t = useTable(of.facts.has?.trace ? `${profilePath(of.id, "query")}?format=columns&sql=${encodeURIComponent(COVERAGE_SQL)}` : "").value;
  if (!t?.rows) return null;
  const [cls, reason, us, module, line] = [texts(t, "class"), texts(t, "reason"), numbers(t, "device_us"), numbers(t, "module_us"), numbers(t, "line_us")];
  const rows = coverageRows(t.rows, (i) => ({ class: cls(i), reason: reason(i), us: us(i) ?? 0 }));
  const sum = (get: (i: number) => number | null): number => Array.from({ length: t.rows }, (_, i) => get(i) ?? 0).reduce((a, b) => a + b, 0);
  const all = sum(us);
  if (!(all > 0) || rows.every((r) => r.word === "launch" || r.word === "id")) return null; // all has a launch of its own, or needs none
  const share = (part: number): string => formatPercent((100 * part) / all);
  const known = rows.filter((r) => r.known).reduce((a, r) => a + r.us, 0);
  return (
    <Section name="Device time explained" aside={`${share(known)} of ${formatMicros(all)}`}>
      <div class="cover" aria-hidden="true">{rows.map((r) => <i key={r.word} class={r.known ? "" : "no"} style={{ width: `${(100 * r.us) / all}%` }} />)}</div>
      <dl>
        {rows.map((r) => <Pair key={r.word} word={r.word}>{share(r.us)}{r.word !== "launch" && <span class="s"> {WHY[r.word]}</span>}</Pair>)}
        <Pair word="with module">{share(sum(module))}</Pair>
        <Pair word="with line">{share(sum(line))}</Pair>
      </dl>
    </Section>
  );
}
