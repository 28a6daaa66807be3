// SPDX-License-Identifier: Apache-2.0
// Lines of code: the innermost line of a call stack as a link, and the text around a line.
import { text } from "../api";
import { profilePath } from "../api";
import { once, useQuery } from "../data";
import { isReport } from "../held";
import { useLoaded } from "../load";
import type { Opened } from "../opened";
import { Highlighted } from "../parts/Highlighted";
import { ThingLink } from "../parts/Thing";
import type { CodeLine } from "../sql";
import { linesOf } from "../sql";

const AROUND = 3; // lines above and below

export const lineId = (l: CodeLine): string => `${l.file}:${l.line}${l.function ? `:${l.function}` : ""}`;

/** FILE:LINE[:FUNCTION]. */
export function partsOfLine(id: string): { file: string; line: number; name: string } {
  const [, file = id, line = "0", name = ""] = /^(.*?):(\d+)(?::(.*))?$/.exec(id) ?? [];
  return { file, line: Number(line), name };
}

export const sourceOf = (of: Opened, file: string): Promise<string[]> =>
  once(`source ${of.id} ${file}`, async () => (await text(profilePath(of.id, `source?file=${encodeURIComponent(file)}`))).split("\n"));

/** Seven lines of the source, when the server may read it. */
export function SourceText({ of, id }: { of: Opened; id: string }) {
  const { file, line } = partsOfLine(id);
  const loaded = useLoaded(`text ${of.id} ${file}`, () => sourceOf(of, file));
  if (loaded.busy) return <p class="s">…</p>;
  if (!loaded.value) return <p class="s">{isReport ? "The text is not in this report (tfprof report --source FOLDER)." : "Its text: give the folder of the source to tfprof serve as well."}</p>;
  const from = Math.max(1, line - AROUND);
  const shown = loaded.value.slice(from - 1, line + AROUND);
  return <pre class="code mono" tabIndex={0} aria-label={`lines ${from} to ${from + shown.length - 1} of ${file}`}><Highlighted lines={shown} first={from} now={line} /></pre>;
}

/** The innermost lines of a call stack. */
export function Lines({ of, trace }: { of: Opened; trace: number }) {
  const lines = useQuery<CodeLine>(of.id, isReport ? "" : linesOf(trace)).value ?? [];
  const inner = lines[lines.length - 1];
  if (!inner) return <>…</>;
  return (
    <>
      {lines.slice(-3).reverse().map((l) => <div key={l.position}><ThingLink kind="line" id={lineId(l)}>{lineId(l)}</ThingLink></div>)}
      <SourceText of={of} id={lineId(inner)} />
    </>
  );
}
