// SPDX-License-Identifier: Apache-2.0
// The user's source code with the cost of each line.
import { useEffect, useMemo, useRef } from "preact/hooks";
import { profilePath, text } from "../answers/api";
import { useTable } from "../answers/data";
import { formatMicros } from "../text/format";
import { embeddedParts, isReport } from "../answers/embedded";
import type { FileCost, LineCost } from "../results/lines";
import { filesOf, startOf } from "../results/lines";
import { useLoaded } from "../answers/load";
import { Status } from "../parts/Status";
import type { Route } from "../state/route";
import { go, withParams } from "../state/route";
import { hrefOf } from "../state/store";

const LINES_MOST = 200;

const micros = (n: number): string => (n ? formatMicros(Math.round(n)) : "");

function TextLine({ number, text: line, cost, most, start }: { number: number; text: string; cost: LineCost | undefined; most: number; start: boolean }) {
  return (
    <div class={`line${cost ? " costly" : ""}${start ? " start" : ""}`} data-line={number} data-hint={cost?.gradient ? `${micros(cost.gradient)} of it for gradients` : undefined}>
      <span class="cost">{micros(cost?.micros ?? 0)}</span>
      <span class="cost">{micros(cost?.own ?? 0)}</span>
      <span class="room"><span class="share" style={{ width: `${(100 * (cost?.own || cost?.micros || 0)) / most}%` }} /></span>
      <span class="number">{number}</span>
      <code>{line}</code>
    </div>
  );
}

/** All lines; in a report only those that it has: of each run of empty lines only the first is kept. */
export function shownLines(all: string, partly = isReport): { line: string; i: number }[] {
  const lines = all.split("\n").map((line, i) => ({ line, i }));
  return partly ? lines.filter(({ line, i }) => line || lines[i - 1]?.line) : lines;
}

function Whole({ file, all }: { file: FileCost; all: string }) {
  const box = useRef<HTMLDivElement>(null);
  const start = startOf(file);
  const costs = [...file.lines.values()];
  const most = Math.max(1, ...costs.map((l) => l.own || l.micros));
  useEffect(() => {
    const line = box.current?.querySelector<HTMLElement>(`[data-line="${start}"]`);
    const at = box.current; // positions in the window: offsetTop is relative to the nearest positioned ancestor
    if (line && at) at.scrollTop += line.getBoundingClientRect().top - at.getBoundingClientRect().top - at.clientHeight / 3;
  }, [file.name]);
  return (
    <div class="source" ref={box} tabIndex={0} role="region" aria-label={file.name}>
      <div class="line top">
        <span class="cost">total</span>
        <span class="cost">own</span>
        <span class="room" />
        <span class="number">line</span>
        <span />
      </div>
      {shownLines(all).map(({ line, i }) => <TextLine key={i} number={i + 1} text={line} cost={file.lines.get(i + 1)} most={most} start={i + 1 === start} />)}
    </div>
  );
}

const textPath = (route: Route, name: string): string => profilePath(route.id, `source?file=${encodeURIComponent(name)}`);

function Text({ route, file }: { route: Route; file: FileCost }) {
  const path = textPath(route, file.name);
  const loaded = useLoaded(path, (signal) => text(path, signal));
  if (loaded.error)
    return (
      <>
        <p class="note">
          The text cannot be shown: {loaded.error}. Give the folder of the code at the start, too: <code>tfprof serve PROFILES FOLDER_OF_THE_CODE</code>
        </p>
        <Lines file={file} caption="" />
      </>
    );
  return <Status of={loaded}>{(all) => <Whole file={file} all={all} />}</Status>;
}

/** Where the text is missing: the lines that cost most. */
function Lines({ file, caption }: { file: FileCost; caption: string }) {
  const found = [...file.lines].sort((a, b) => b[1].micros - a[1].micros || a[0] - b[0]);
  return (
    <table class="list narrow lines">
      <caption>{caption}{found.length > LINES_MOST && ` The ${LINES_MOST} most expensive of ${found.length.toLocaleString()} lines`}</caption>
      <thead>
        <tr>
          <th scope="col" class="number">Line</th>
          <th scope="col" class="number">Total time</th>
          <th scope="col" class="number">Own time</th>
          <th scope="col" class="number">Of gradients</th>
          <th scope="col" class="number">Runs</th>
        </tr>
      </thead>
      <tbody>
        {found.slice(0, LINES_MOST).map(([line, cost]) => (
          <tr key={line}>
            <td class="number">{line}</td>
            <td class="number" data-hint={`${cost.micros} us`}>{formatMicros(Math.round(cost.micros))}</td>
            <td class="number">{micros(cost.own)}</td>
            <td class="number">{micros(cost.gradient)}</td>
            <td class="number">{cost.runs.toLocaleString()}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function SourcePage({ route }: { route: Route }) {
  const loaded = useTable(profilePath(route.id, "views/lines?format=columns"));
  const files = useMemo(() => (loaded.value ? filesOf(loaded.value) : []), [loaded.value]);
  const file = files.find((f) => f.name === route.params.get("file")) ?? files[0];
  return (
    <section class="old">
      <h1 class="away">Source</h1>
      <Status of={loaded}>
        {() => {
          if (!file) return <p class="empty">No operation of this profile has lines of code. What a trace has of stacks is in the <a href={hrefOf({ place: "table", by: "line" })}>table of lines</a>.</p>;
          return (
            <>
              <div class="field wide">
                <label for="file">file</label>
                <select id="file" class="fits" value={file.name} onChange={(e) => go(withParams(route, { file: e.currentTarget.value }))}>
                  {files.map((f) => <option key={f.name} value={f.name}>{f.name} ({f.own ? `own ${micros(f.own)}` : formatMicros(Math.round(f.micros))})</option>)}
                </select>
              </div>
              {isReport && !embeddedParts(textPath(route, file.name)) ? <Lines file={file} caption="Its text is not in this report: tfprof report --source FOLDER puts it in." /> : <Text key={file.name} route={route} file={file} />}
            </>
          );
        }}
      </Status>
    </section>
  );
}
