// SPDX-License-Identifier: Apache-2.0
// If nothing is selected the panel shows the profile: when and by whom it was recorded, devices, ranks, its contents, and how to record what is
// missing.
import { Fragment } from "preact";
import { profilePath } from "../answers/api";
import { jsonOnce } from "../answers/data";
import { counted, formatBytes, formatCount, formatMicros } from "../text/format";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { Worded } from "../parts/Worded";
import { fitsPlace } from "../places/fits";
import { goTo } from "../state/store";
import { Coverage } from "./Coverage";
import { Pair, Section } from "./Section";
import type { PanelProps } from "./kinds";

export interface Info {
  summary: Record<string, string | number | null>;
  rows: { part: string; there: boolean; count: number | null; of: string | null; missing: string | null }[];
}

export const infoOf = (of: Opened): Promise<Info> => jsonOnce<Info>(profilePath(of.id, "views/info?format=json"));
export const useInfo = (of: Opened): Info | undefined => useLoaded(`info ${of.id}`, () => infoOf(of)).value;

/** A blank before the unit in the name of a device: A100-SXM4-80 GB. */
export const spaced = (text: string): string => text.replace(/(\d)([KMGT]B)\b/g, "$1\u00a0$2");

/** How to record data that a trace of PyTorch lacks; for other files the server's own words are shown. */
const RECORD: Record<string, string> = { code: "with_stack=True", memory: "profile_memory=True", program: "record_shapes=True" };
const TITLES: Record<string, string> = { runs: "times", program: "shapes", code: "lines", trace: "spans", graph: "graph", memory: "memory", tensors: "tensors", nodes: "operations" };

function Has({ info }: { info: Info }) {
  const torch = String(info.summary.framework ?? "").includes("PyTorch");
  const rows = info.rows.filter((r) => r.there || !torch || RECORD[r.part]);
  return (
    <Section name="What it has">
      <dl>
        {rows.map((r) => (
          <Pair key={r.part} word={TITLES[r.part] ?? r.part}>
            {r.there ? [r.count === null ? "" : formatCount(r.count), r.of ?? ""].filter(Boolean).join(" ") : <span class="s">no – {torch && RECORD[r.part] ? `record ${RECORD[r.part]}` : <Worded text={r.missing ?? ""} />}</span>}
          </Pair>
        ))}
      </dl>
    </Section>
  );
}

/** Ranks that have a file, of those of the job: "0 of 16 – 15 have no file", "all 128". */
function rankWords({ summary: s }: Info): string {
  const [count, of] = [Number(s.rank_count ?? 0), Number(s.ranks_of_job ?? 0)];
  if (count && count === of) return `all ${formatCount(of)}`;
  return `${s.ranks ?? ""}${of > count ? ` – ${formatCount(of - count)} have no file` : ""}`;
}

/** The same in few words. */
export function fewRanks({ summary: s }: Info): string {
  const [count, of] = [Number(s.rank_count ?? 0), Number(s.ranks_of_job ?? 0)];
  return count > 1 ? `${formatCount(count)}${of > count ? ` of ${formatCount(of)}` : ""}` : String(s.ranks ?? "");
}

/** The same as words: "rank 0", "only rank 0 of 16", "2 of 16 ranks". */
export function chipRanks(info: Info): string {
  const few = fewRanks(info);
  if (Number(info.summary.rank_count ?? 0) > 1) return `${few} ranks`;
  return few && `${/ of /.test(few) ? "only rank" : "rank"} ${few}`;
}

function Recorded({ of, info }: { of: Opened; info: Info }) {
  const s = info.summary;
  const text = (name: string): string => (s[name] === null || s[name] === undefined ? "" : String(s[name]));
  const rows: [string, string][] = [
    ["when", text("recorded")],
    ["by", [text("framework"), of.entry?.format.replaceAll("_", " ")].filter(Boolean).join(" · ")],
    ["length", s.range_us ? `${formatMicros(Number(s.range_us))}${s.steps ? `, ${counted(Number(s.step_count ?? of.facts.steps.length), "step")}` : ""}` : ""],
    ["device", [spaced(text("device_models")), text("devices")].filter(Boolean).join(": ")],
    ["host", text("hosts")],
    ["ranks", rankWords(info)],
    ["file", of.entry ? `${of.entry.files && of.entry.files.length > 1 ? `${of.entry.files.length} files, ` : ""}${formatBytes(of.entry.bytes)}` : ""],
  ];
  return <Section name="Recorded"><dl>{rows.filter(([, t]) => t).map(([word, t]) => <Pair key={word} word={word}>{t}</Pair>)}</dl></Section>;
}

export function ProfilePanel({ of }: PanelProps) {
  const info = useInfo(of);
  const facts = (): void => void navigator.clipboard.writeText(info ? Object.entries(info.summary).map(([k, v]) => `${k}: ${v}`).join("\n") : of.name);
  return (
    <>
      <h2 class="title">{of.name.split("/").map((part, i) => (i ? <Fragment key={i}>/<wbr />{part}</Fragment> : part))}</h2>
      <div class="s">profile · nothing is selected</div>
      {info && <Recorded of={of} info={info} />}
      {info && <Has info={info} />}
      <Coverage of={of} />
      {of.facts.warnings.length > 0 && <Section name="Notes">{of.facts.warnings.map((w) => <p key={w}><Worded text={w} /></p>)}</Section>}
      <div class="actions">
        {fitsPlace("timeline", of.facts) && <button type="button" onClick={() => goTo("timeline")}>Open in timeline</button>}
        <button type="button" onClick={facts}>Copy facts</button>
      </div>
      <Section name="Keys"><dl><Pair word="/">search</Pair><Pair word="g t · g o · g b">timeline, overview, table</Pair><Pair word="?">all keys</Pair></dl></Section>
    </>
  );
}
