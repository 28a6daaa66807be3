// SPDX-License-Identifier: Apache-2.0
// The page: a workbench over one profile, or a list of profiles, jobs or runs.
import { useEffect } from "preact/hooks";
import type { ComponentType } from "preact";
import type { Tables } from "../answers/api";
import { tables } from "../answers/api";
import { mainBusy } from "../answers/busy";
import { useKeys } from "../state/keys";
import { useLoaded } from "../answers/load";
import { JobsPlace } from "../places/Jobs";
import { ProfilesPlace } from "../places/Profiles";
import { RunsPlace } from "../places/Runs";
import { WatchPlace } from "../places/Watch";
import { giveUp, place, profileId } from "../state/store";
import { Gone } from "./Gone";
import { Header } from "./Header";
import { Hints } from "./Hints";
import { Main } from "./Main";
import { Workbench } from "./Workbench";

function ListPage({ name, title, tables: known, show: Show }: { name: "profiles" | "jobs" | "runs" | "watch"; title: string; tables: Tables; show: ComponentType }) {
  useEffect(() => {
    document.title = `${title} · tfprof`;
  }, [title]);
  return (
    <>
      <Header of={null} tables={known} />
      <Main name={title} place={name} busy={mainBusy.value > 0}><Show /></Main>
    </>
  );
}

function Lists({ of }: { of: Tables }) {
  if (place.value === "jobs" && of.live) return <ListPage name="jobs" title="Jobs" tables={of} show={JobsPlace} />;
  if (place.value === "runs" && of.index) return <ListPage name="runs" title="Runs" tables={of} show={RunsPlace} />;
  if (place.value === "watch" && of.watch) return <ListPage name="watch" title="Watch" tables={of} show={WatchPlace} />;
  return <ListPage name="profiles" title="Profiles" tables={of} show={ProfilesPlace} />;
}

export function App() {
  const known = useLoaded("tables", tables);
  useKeys({ Escape: () => void giveUp() }, []);
  const id = profileId.value;
  useEffect(() => {
    document.body.dataset.shape = id ? "workbench" : "list";
  }, [id]);
  if (known.error) return <Main name="tfprof" place="profiles" busy={false}><div class="fault" role="alert">{known.error}</div></Main>;
  if (!known.value) return <Main name="tfprof" place="profiles" busy><p role="status">…</p></Main>;
  return (
    <>
      <Gone />
      <Hints />
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>Skip to the content</a>
      {id ? <Workbench key={id} id={id} tables={known.value} /> : <Lists of={known.value} />}
    </>
  );
}
