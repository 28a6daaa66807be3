// SPDX-License-Identifier: Apache-2.0
// The workbench over one profile: context bar, rail, the place, the details panel.
import { useEffect, useState } from "preact/hooks";
import type { ProfileEntry, Tables } from "../answers/api";
import { profile, profiles } from "../answers/api";
import { BusyContext, mainBusy, quietBusy } from "../answers/busy";
import { forgetAll } from "../answers/data";
import { Details } from "../details/Details";
import { Pair } from "../details/Section";
import { formatBytes, formatDate } from "../text/format";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { nameOf } from "../state/opened";
import { Boundary } from "../parts/Boundary";
import { LeftOut } from "../parts/LeftOut";
import { PLACES } from "../places";
import { place } from "../state/store";
import { ContextBar } from "./ContextBar";
import { Header } from "./Header";
import { Main } from "./Main";
import { Rail } from "./Rail";
import { useListVersion } from "./useList";

/** Announces that the file has changed; the present content stays until the reader asks for the new one. */
function Changed({ entry, onAgain }: { entry: ProfileEntry | undefined; onAgain: () => void }) {
  const [seen, setSeen] = useState(entry?.modified);
  useEffect(() => {
    if (seen === undefined) setSeen(entry?.modified);
  }, [entry?.modified]);
  if (!entry || seen === undefined || seen === entry.modified) return null;
  const again = (): void => {
    setSeen(entry.modified);
    onAgain();
  };
  return <p class="note" role="status">The file has changed since. <button type="button" onClick={again}>Show what is in it now</button></p>;
}

/** Shown while the file is being read, and when it cannot be read. */
function Waiting({ name, entry, error, progress }: { name: string; entry: ProfileEntry | undefined; error: string; progress: number }) {
  return (
    <>
      <Header of={null} />
      <Main name="Overview" place="overview" busy={!error}>
        <h1>{name}</h1>
        {error ? (
          <>
            <div class="fault" role="alert"><strong>This profile cannot be shown.</strong> {error}</div>
            <p><a class="lk" href="#/">All profiles</a></p>
          </>
        ) : (
          <>
            {entry && (
              <dl>
                <Pair word="format">{entry.format.replaceAll("_", " ")}</Pair>
                <Pair word="size">{formatBytes(entry.bytes)}{(entry.files?.length ?? 1) > 1 && ` in ${entry.files?.length} files`}</Pair>
                <Pair word="changed">{formatDate(entry.modified)}</Pair>
              </dl>
            )}
            <p role="status">Reading it: {Math.round(100 * progress)}{"\u00a0"}% <progress max={1} value={progress} aria-label="reading" /></p>
          </>
        )}
      </Main>
    </>
  );
}

export function Workbench({ id, tables }: { id: string; tables: Tables }) {
  const version = useListVersion();
  const [again, setAgain] = useState(0);
  const facts = useLoaded(`facts ${again}`, (signal, progress) => profile(id, signal, progress));
  const list = useLoaded(`names ${version}`, (signal) => profiles(signal));
  const entry = list.value?.profiles.find((p) => p.id === id);
  const row = PLACES.find((p) => p.name === place.value) ?? PLACES[0];
  const name = nameOf(entry?.name ?? facts.value?.name ?? "profile", entry?.files ?? []);
  useEffect(() => {
    document.title = [row?.title, name, "tfprof"].join(" · ");
  }, [row, name]);
  if (!facts.value || !row) return <Waiting name={name} entry={entry} error={facts.error} progress={facts.progress} />;
  const files = entry?.files?.length ? entry.files : [entry?.name ?? facts.value.name ?? "PROFILE"];
  const of: Opened = { id, entry, name, files, facts: facts.value, tables };
  return (
    <>
      <BusyContext.Provider value={quietBusy}>
        <Header of={of} />
        <ContextBar of={of} />
        <Rail of={of} />
      </BusyContext.Provider>
      <Main name={row.title} place={row.name} busy={mainBusy.value > 0}>
        <Changed entry={entry} onAgain={() => (forgetAll(), setAgain(again + 1))} />
        {row.name === "overview" && <LeftOut id={id} />}
        <Boundary key={`${row.name} ${again}`} what={row.title}><row.show of={of} /></Boundary>
      </Main>
      <Details of={of} />
    </>
  );
}
