// SPDX-License-Identifier: Apache-2.0
// Notes about the steps themselves: that they are guessed, and how much of the work they contain.
import { profilePath } from "../answers/api";
import { useTable } from "../answers/data";
import { spacedUnits } from "../text/format";
import { Worded } from "../parts/Worded";
import type { Opened } from "../state/opened";

export function StepNotes({ of }: { of: Opened }) {
  const notes = useTable(profilePath(of.id, "views/steps?format=columns")).value?.notes ?? [];
  return <>{notes.map((note) => <p key={note} class="note"><Worded text={spacedUnits(note)} /></p>)}</>;
}
