// SPDX-License-Identifier: Apache-2.0
// Notes of reports as the page shows them: how much device time has a place in the model is a sentence, and said once.
import type { Table } from "../answers/api";
import { spacedUnits } from "./format";

/** Why device time has no place, by the report's word. */
const NO_PLACE: Record<string, string> = {
  "no capture": "no file has the capture of the graph that replayed it", "no match": "no captured graph fits", ambiguous: "too many captured graphs fit", "no launch": "its launch was not recorded",
};
const ATTRIBUTED = /^device time attributed: ([\d.]+) %(?: \([^)]*\))?(?:; not: ([\d.]+) % \(([^)]*)\))?(?:; of (\d+) traces)?$/;

/** "device time attributed: 20.0 % (launch 20.0 %); not: 80.0 % (no capture 80.0 %)" as a sentence. */
function sentence(note: string): string {
  const [, placed, lost, parts, traces] = ATTRIBUTED.exec(note) ?? [];
  if (!placed) return note;
  const reasons = (parts ?? "").split(", ").flatMap((part) => {
    const [, word = "", share = ""] = /^(.*) ([\d.]+) %$/.exec(part) ?? [];
    return word ? [{ why: NO_PLACE[word] ?? word, share }] : [];
  });
  const why = reasons.length === 1 ? reasons[0]?.why : reasons.map((r) => `${r.why} (${r.share} %)`).join(", ");
  return `${lost ? `${placed} %` : "all"} of the device time${traces ? ` of ${traces} traces` : ""} has a known place in the model${lost ? `; ${lost} % has none: ${why}` : ""}`;
}

/** The notes of a table. Where its rows say how much they explain, the other note on device time would repeat it. */
export function notesOf(t: Pick<Table, "notes" | "noteCodes"> | undefined, but = ""): string[] {
  const { notes = [], noteCodes = [] } = t ?? {};
  const repeats = (code: string | undefined): boolean => code === "attributed" && (noteCodes.includes("coverage") || but === "attributed");
  return notes.filter((_, i) => !repeats(noteCodes[i])).map((note) => spacedUnits(sentence(note)));
}
