// SPDX-License-Identifier: Apache-2.0
// Findings of advice, each with links: to the rows that it names, "... (tfprof steps -critical_path)", and to the moment
// in the timeline.
import type { Route } from "../route";
import { hashOf } from "../route";

const COMMAND = /^tfprof (\w+)((?: -\w+)*)/;
const PAGES = new Set(["steps", "transfer", "wait", "check", "kernel", "op", "code", "calls", "memory"]);

interface Moment {
  span: number;
  lane: string;
}

interface Said {
  text: string;
  span: Moment | null;
  command: string | null;
}

export interface Checked {
  name: string;
  reports: string[];
  findings: Said[];
}

export interface Advised {
  checkers: Checked[];
}

function Finding({ route, said }: { route: Route; said: Said }) {
  const found = COMMAND.exec(said.command ?? "");
  const moment = said.span;
  const page = found?.[1] ?? "";
  const params = new URLSearchParams(found?.[2]?.includes("-critical_path") ? { critical_path: "true" } : {});
  return (
    <div class="finding">
      <pre class="advice">{said.text}</pre>
      <p class="leads">
        {moment && <a href={hashOf("timeline", route.id, new URLSearchParams({ event: String(moment.span) }))}>Show it in the timeline, {moment.lane}</a>}
        {PAGES.has(page) && <a href={hashOf(page, route.id, params)}>Show the rows of {page}</a>}
      </p>
    </div>
  );
}

export function FindingsOf({ route, of }: { route: Route; of: Checked }) {
  return <>{of.findings.map((said, i) => <Finding key={i} route={route} said={said} />)}</>;
}
