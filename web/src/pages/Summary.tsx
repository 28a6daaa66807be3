// SPDX-License-Identifier: Apache-2.0
// One screen with the profile's facts and where its steps go, as the command line prints it.
import { profilePath, text } from "../api";
import { commandWords } from "../command";
import { useLoaded } from "../load";
import { FactLines, firstPart } from "../parts/FactLines";
import { Means } from "../parts/Means";
import { Status } from "../parts/Status";
import type { Route } from "../route";

export function Summary({ route, files }: { route: Route; files: string[] }) {
  const report = profilePath(route.id, "views/summary?");
  const loaded = useLoaded(report, (signal, progress) => text(`${report}format=text`, signal, progress));
  return (
    <section class="old">
      <h1>Summary</h1>
      <Means words={commandWords("summary", files, new URLSearchParams())} path={report} file="summary" />
      <Status of={loaded}>
        {(said) => {
          const [facts, rest] = firstPart(said);
          return (
            <>
              <FactLines lines={facts} />
              <pre class="said-whole" tabIndex={0}>{rest}</pre>
            </>
          );
        }}
      </Status>
    </section>
  );
}
