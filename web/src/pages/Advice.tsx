// SPDX-License-Identifier: Apache-2.0
// The findings of all checkers or of some.
import type { Tables } from "../api";
import { json, profilePath } from "../api";
import { commandWords } from "../command";
import { isReport } from "../held";
import { useLoaded } from "../load";
import type { Advised } from "../parts/Evidence";
import { FindingsOf } from "../parts/Evidence";
import { Means } from "../parts/Means";
import { Status } from "../parts/Status";
import type { Route } from "../route";
import { go, withParams } from "../route";

function Chooser({ route, tables, chosen }: { route: Route; tables: Tables; chosen: string[] }) {
  const toggle = (name: string): void => {
    const next = tables.checkers.map((c) => c.name).filter((n) => chosen.includes(n) !== (n === name));
    go(withParams(route, { checkers: next.length && next.length < tables.checkers.length ? next.join(",") : null }));
  };
  return (
    <form class="controls" onSubmit={(e) => e.preventDefault()}>
      <fieldset class="select">
        <legend>Checkers</legend>
        {tables.checkers.map((c) => (
          <label key={c.name} title={c.help ?? ""}>
            <input type="checkbox" checked={chosen.includes(c.name)} onChange={() => toggle(c.name)} /> {c.name}
          </label>
        ))}
      </fieldset>
    </form>
  );
}

export function Advice({ route, files, tables }: { route: Route; files: string[]; tables: Tables }) {
  const query = new URLSearchParams();
  const given = route.params.get("checkers");
  if (given) query.set("checkers", given);
  const chosen = given ? given.split(",") : tables.checkers.map((c) => c.name);
  const report = profilePath(route.id, `views/advise?${query.toString()}`);
  const path = given ? `${report}&format=json` : profilePath(route.id, "views/advise?format=json");
  const loaded = useLoaded(path, (signal, progress) => json<Advised>(path, signal, progress));
  return (
    <section class="old">
      <h1>Advice</h1>
      {!isReport && <Chooser route={route} tables={tables} chosen={chosen} />}
      <Means words={commandWords("advise", files, query)} path={report} file="advice" />
      <Status of={loaded}>
        {(a) => (
          <>
            {!a.checkers.length && <p class="empty">No checker found anything.</p>}
            {a.checkers.map((c) => (
              <section key={c.name}>
                <h2>{c.name}</h2>
                <p class="soft">{tables.checkers.find((t) => t.name === c.name)?.help}</p>
                {c.reports.length ? <FindingsOf route={route} of={c} /> : <p class="empty">Nothing found.</p>}
              </section>
            ))}
          </>
        )}
      </Status>
    </section>
  );
}
