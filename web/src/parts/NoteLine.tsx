// SPDX-License-Identifier: Apache-2.0
// What a report says of its own rows, such as how much of the time they explain: the first note, in a line that is cut; all of them where it is pointed at.
export function NoteLine({ notes }: { notes: string[] | undefined }) {
  return notes?.length ? <span class="noteline" title={notes.join("\n")}>{notes[0]}</span> : null;
}
