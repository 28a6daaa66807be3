// SPDX-License-Identifier: Apache-2.0
// The findings of the checkers, sorted by their possible gain; each has an id and evidence.
import { jsonOnce } from "../answers/data";
import { isOfHeap, profilePath } from "../answers/api";
import { spacedUnits } from "../text/format";
import type { Loaded } from "../answers/load";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import type { Filters, Window } from "../state/store";

interface SpanEvidence {
  span: number;
  rank?: number;
  lane: string;
  start_us: number; // from the first start of its rank
  timeline_us: number; // on the timeline's clock
  duration_us: number;
}

interface Answer {
  checkers: { name: string; reports: string[]; findings?: { name: string; about?: string; text: string; problem?: string | null; remedy?: string | null; seconds?: number | null; gain_seconds?: number | null; span?: SpanEvidence | null; command?: string }[] }[];
}

interface CheckAnswer {
  rows: { severity: string; what: string; count: number; first: string }[];
}

export interface Finding {
  id: string; // the checker's name and a number
  checker: string;
  says: string; // the first sentence
  more: string[]; // what follows it
  text: string;
  takes: number | null; // microseconds of a step
  gain: number | null;
  evidence: SpanEvidence | null;
  quality: boolean; // about the data, not the program
  look: string;
}

/** Splits a report into its sentences, which are joined by semicolons. */
function sentences(text: string): string[] {
  return spacedUnits(text).replace(/ \(tfprof [\w -]+\)$/, "").split("; ");
}

const big = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function ofCheckers(answer: Answer): Finding[] {
  return answer.checkers.flatMap((c) =>
    (c.findings?.length ? c.findings : c.reports.map((text) => ({ name: c.name, text }))).map((f, i): Finding => {
      const full = f as NonNullable<(typeof c.findings)>[number];
      const [says = "", ...more] = sentences([full.problem ?? f.text, full.remedy ?? ""].filter(Boolean).join("; "));
      const us = (seconds: number | null | undefined): number | null => (seconds ? seconds * 1e6 : null);
      return {
        id: `${c.name}:${i}`, checker: c.name, says: big(says), more: more.map(big), text: f.text,
        takes: us(full.seconds), gain: us(full.gain_seconds), evidence: full.span ?? null, quality: false, look: full.about ?? "compute",
      };
    }),
  );
}

function ofChecks(answer: CheckAnswer): Finding[] {
  return answer.rows.map((r, i): Finding => ({
    id: `Data:${i}`, checker: "Data", says: `${big(r.what)}: ${r.count.toLocaleString("en-US")}`, more: r.first ? [`First: ${r.first}`] : [], text: r.what,
    takes: null, gain: null, evidence: null, quality: true, look: "host",
  }));
}

export async function findingsOf(of: Opened): Promise<Finding[]> {
  if (isOfHeap(of.facts)) return []; // nothing ran
  const advice = ofCheckers(await jsonOnce<Answer>(profilePath(of.id, "views/advise?format=json")));
  const checks = of.facts.has?.times ? ofChecks(await jsonOnce<CheckAnswer>(profilePath(of.id, "views/check?format=json")).catch(() => ({ rows: [] }))) : [];
  return [...advice.sort((a, b) => (b.gain ?? -1) - (a.gain ?? -1)), ...checks];
}

export const useFindings = (of: Opened): Loaded<Finding[]> => useLoaded(`findings ${of.id}`, () => findingsOf(of));

/** What findings cover although filters are active, which checkers do not know. */
export function coveredWords({ ranks, steps, range, device }: Filters): string {
  const run = steps || range ? "of the whole run" : "";
  const places = [ranks.length ? "ranks" : "", device ? "devices" : ""].filter(Boolean).join(" and ");
  return [run, places && `over all ${places}`].filter(Boolean).join(", ");
}

/** Where the timeline shows the evidence: the span with some time around it. */
export function evidenceView({ evidence }: Finding): Window | null {
  if (!evidence) return null;
  const { timeline_us: start, duration_us: length } = evidence;
  const around = Math.max(length * 2, 200);
  return { from: Math.max(0, start - around), to: start + length + around };
}
