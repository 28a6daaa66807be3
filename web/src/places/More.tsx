// SPDX-License-Identifier: Apache-2.0
// Pages that have no place of their own: SQL, source, float operations with a roofline, checkpoint, the command line.
import type { ComponentType } from "preact";
import type { ProfileFacts } from "../answers/api";
import { isReport } from "../answers/embedded";
import { Checkpoint } from "../pages/Checkpoint";
import { Flops } from "../pages/Flops";
import { Prompt } from "../pages/Prompt";
import { Query } from "../pages/Query";
import { SourcePage } from "../pages/Source";
import type { Route } from "../state/route";
import { useRoute } from "../state/route";
import { change, state } from "../state/store";
import type { PlaceProps } from "./index";

type Part = PlaceProps & { route: Route };
interface MoreRow {
  by: string;
  title: string;
  fits: (f: ProfileFacts) => boolean;
  show: ComponentType<Part>;
}

const MORE: MoreRow[] = [
  { by: "query", title: "SQL", fits: () => !isReport, show: ({ of, route }: Part) => <Query route={route} files={of.files} /> },
  { by: "flops", title: "Float operations", fits: (f) => f.has?.graph || f.has?.trace || false, show: ({ of, route }: Part) => <Flops route={route} files={of.files} tables={of.tables} /> },
  { by: "source", title: "Source", fits: (f) => f.has?.stacks ?? false, show: ({ route }: Part) => <SourcePage route={route} /> },
  { by: "checkpoint", title: "Checkpoint", fits: (f) => f.has?.checkpoint ?? false, show: ({ route }: Part) => <Checkpoint route={route} /> },
  { by: "command", title: "Command line", fits: () => !isReport, show: ({ route }: Part) => <Prompt route={route} /> },
];

export function MorePlace({ of }: PlaceProps) {
  const route = useRoute();
  const fits = MORE.filter((m) => m.fits(of.facts));
  const row = fits.find((m) => m.by === state.value.by) ?? fits[0];
  if (!row) return <p>This report holds nothing more.</p>;
  return (
    <>
      <div class="bar-line more-choice">
        {fits.map((m) => <button key={m.by} type="button" aria-pressed={m === row} class={m === row ? "chosen" : ""} onClick={() => change({ by: m.by, more: {} })}>{m.title}</button>)}
      </div>
      <row.show key={row.by} of={of} route={route} />
    </>
  );
}
