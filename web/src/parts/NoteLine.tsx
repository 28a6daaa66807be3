// SPDX-License-Identifier: Apache-2.0
// What a report says of its own rows, such as how much of the time they explain. Only the first note is shown, in one line that is cut; the tooltip has all.
import { spacedUnits } from "../format";

export function NoteLine({ notes }: { notes: string[] | undefined }) {
  return notes?.length ? <span class="noteline" title={spacedUnits(notes.join("\n"))}>{spacedUnits(notes[0] ?? "")}</span> : null;
}
