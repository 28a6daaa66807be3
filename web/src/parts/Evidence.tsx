// SPDX-License-Identifier: Apache-2.0
// Findings of advice, each with links: to the rows that it names, "... (tfprof steps -critical_path)", and to the moment
// in the timeline.
import type { Route } from "../route";
import { hashOf } from "../route";

const COMMAND = /\(tfprof (\w+)((?: -\w+)*)[^)]*\)\s*$/;
const PAGES = new Set(["steps", "transfer", "wait", "check", "kernel", "op", "code", "calls", "memory"]);

interface Moment {
  span: number;
  lane: string;
}

export interface Checked {
  name: string;
  reports: string[];
  evidence?: (Moment | null)[];
}

export interface Advised {
  checkers: Checked[];
}

function Finding({ route, report, moment }: { route: Route; report: string; moment: Moment | null | undefined }) {
  const found = COMMAND.exec(report);
  const page = found?.[1] ?? "";
  const params = new URLSearchParams(found?.[2]?.includes("-critical_path") ? { critical_path: "true" } : {});
  return (
    <div class="finding">
      <pre class="advice">{report}</pre>
      <p class="leads">
        {moment && <a href={hashOf("timeline", route.id, new URLSearchParams({ event: String(moment.span) }))}>Show it in the timeline, {moment.lane}</a>}
        {PAGES.has(page) && <a href={hashOf(page, route.id, params)}>Show the rows of {page}</a>}
      </p>
    </div>
  );
}

export function FindingsOf({ route, of }: { route: Route; of: Checked }) {
  return <>{of.reports.map((report, i) => <Finding key={i} route={route} report={report} moment={of.evidence?.[i]} />)}</>;
}
