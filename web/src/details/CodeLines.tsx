// SPDX-License-Identifier: Apache-2.0
// Lines of code: the innermost line of a call stack as a link, and the text around a line.
import { json, profilePath, text } from "../answers/api";
import { once, useQuery } from "../answers/data";
import { isReport } from "../answers/embedded";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { Highlighted } from "../parts/Highlighted";
import { ThingLink } from "../parts/Thing";
import type { CodeLine, SpanPlace } from "../answers/sql";
import { linesOf, longest } from "../answers/sql";
import type { Details } from "../timeline/data";
import { NOT_HELD } from "./parts";
import { spanDetails } from "./span";

const AROUND = 3; // lines above and below

export const lineId = (l: CodeLine): string => `${l.file}:${l.line}${l.function ? `:${l.function}` : ""}`;

/** Names of frames, such as train.py(16): step, as lines. */
export const frameIds = (names: string[]): string[] => names.map((name) => name.replace(/^(.+)\((\d+)\): (.*)$/, "$1:$2:$3"));

/** FILE:LINE[:FUNCTION]. */
export function partsOfLine(id: string): { file: string; line: number; name: string } {
  const [, file = id, line = "0", name = ""] = /^(.*?):(\d+)(?::(.*))?$/.exec(id) ?? [];
  return { file, line: Number(line), name };
}

/** The lines of a file; null if the server may not read it. The server is asked about that first, because the browser would log a refused request. */
export const sourceOf = (of: Opened, file: string): Promise<string[] | null> =>
  once(`source ${of.id} ${file}`, async () => {
    const name = encodeURIComponent(file);
    if (!isReport && !(await json<{ files: { readable: boolean }[] }>(profilePath(of.id, `files?file=${name}`))).files[0]?.readable) return null;
    return (await text(profilePath(of.id, `source?file=${name}`))).split("\n");
  });

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

/** The last lines as links, and the text around the innermost one. */
function Shown({ of, ids }: { of: Opened; ids: string[] }) {
  const inner = ids[ids.length - 1];
  if (inner === undefined) return null;
  return (
    <>
      {ids.slice(-3).reverse().map((id) => <div key={id}><ThingLink kind="line" id={id}>{id}</ThingLink></div>)}
      <SourceText of={of} id={inner} />
    </>
  );
}

/** Code of packages and of Python itself. */
const isLibrary = (file: string): boolean => /(^|\/)(site|dist)-packages\/|\/lib\/python\d|^<frozen /.test(file);

/** The innermost lines of a call stack: those of the user's code, or all if there are none. */
export function Lines({ of, trace }: { of: Opened; trace: number }) {
  const lines = useQuery<CodeLine>(of.id, isReport ? "" : linesOf(trace)).value ?? [];
  const own = lines.filter((l) => !isLibrary(l.file));
  return lines.length ? <Shown of={of} ids={(own.length ? own : lines).map(lineId)} /> : <>…</>;
}

/** Why there is no line: XLA's program may not say where an instruction comes from, and PyTorch must be told to record it. */
function NotRecorded({ of }: { of: Opened }) {
  return <span class="s">{NOT_HELD || (of.entry?.format === "xplane" ? "the compiled program names none" : of.facts.has?.trace ? "not recorded (with_stack=True)" : "not recorded (an op log: --op_log_path)")}</span>;
}

/** The Python functions around a span, if the trace has them as spans: those of the user's code, or all if there are none. */
export function FrameLines({ of, d }: { of: Opened; d: Details | undefined }) {
  if (!d) return <>…</>;
  const framesOf = (relation: string) => d.rows.filter((r) => r.relation === relation).sort((a, b) => a.start_us - b.start_us || b.duration_us - a.duration_us);
  const own = framesOf("frame");
  const ids = frameIds((own.length ? own : framesOf("library frame")).map((r) => r.name));
  return ids.length ? <Shown of={of} ids={ids} /> : <NotRecorded of={of} />;
}

/** The same for the longest span that matches a condition. */
export function FramesOfLongest({ of, where }: { of: Opened; where: string }) {
  const asked = useQuery<SpanPlace>(of.id, isReport || !of.facts.has?.trace ? "" : longest(where));
  const span = asked.value?.[0]?.span;
  const d = useLoaded(`frames ${of.id} ${span ?? ""}`, () => (span === undefined ? Promise.resolve(undefined) : spanDetails(of, span)));
  return asked.busy || d.busy ? <>…</> : span === undefined ? <NotRecorded of={of} /> : <FrameLines of={of} d={d.value} />;
}
