// SPDX-License-Identifier: Apache-2.0
// The notes of a report, such as how much of the time its rows explain: the first one in a line, all of them completely after a click.
import { useEffect, useRef, useState } from "preact/hooks";

export function NoteLine({ notes, before = "" }: { notes: string[]; before?: string }) {
  const line = useRef<HTMLSpanElement>(null);
  const [all, setAll] = useState(false);
  const [cut, setCut] = useState(false);
  useEffect(() => {
    if (line.current && !all) setCut(line.current.scrollWidth > line.current.clientWidth + 1);
  });
  if (!notes.length && !before) return null;
  const shown = [before, ...(all ? notes : notes.slice(0, 1))].filter(Boolean);
  return (
    <span class={all ? "noteline all" : "noteline"}>
      <span ref={line} class={all ? "" : "cut"}>{shown.join(" · ")}</span>
      {(cut || notes.length > 1) && <button type="button" class="lk" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "less" : "more"}</button>}
    </span>
  );
}
