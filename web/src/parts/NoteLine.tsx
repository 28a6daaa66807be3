// SPDX-License-Identifier: Apache-2.0
// The notes of a report, such as how much of the time its rows explain. Only the first note is shown, in one line that may be cut; the tooltip has
// all notes.
import { spacedUnits } from "../text/format";

export function NoteLine({ notes }: { notes: string[] | undefined }) {
  return notes?.length ? <span class="noteline" title={spacedUnits(notes.join("\n"))}>{spacedUnits(notes[0] ?? "")}</span> : null;
}
