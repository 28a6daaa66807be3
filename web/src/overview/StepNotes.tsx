// SPDX-License-Identifier: Apache-2.0
// Notes about the steps themselves: that they are guessed, and how much of the work they contain.
import { profilePath } from "../api";
import { useTable } from "../data";
import { spacedUnits } from "../format";
import { Worded } from "../parts/Worded";
import type { Opened } from "../opened";

export function StepNotes({ of }: { of: Opened }) {
  const notes = useTable(profilePath(of.id, "views/steps?format=columns")).value?.notes ?? [];
  return <>{notes.map((note) => <p key={note} class="note"><Worded text={spacedUnits(note)} /></p>)}</>;
}
