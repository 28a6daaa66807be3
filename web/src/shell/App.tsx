// SPDX-License-Identifier: Apache-2.0
// The page: a workbench over one profile, or a list of profiles or jobs.
import { useEffect } from "preact/hooks";
import type { ComponentType } from "preact";
import { tables } from "../api";
import { mainBusy } from "../busy";
import { useKeys } from "../keys";
import { useLoaded } from "../load";
import { JobsPlace } from "../places/Jobs";
import { ProfilesPlace } from "../places/Profiles";
import { giveUp, place, profileId } from "../store";
import { Gone } from "./Gone";
import { Header } from "./Header";
import { Main } from "./Main";
import { Workbench } from "./Workbench";

function ListPage({ name, title, live, show: Show }: { name: "profiles" | "jobs"; title: string; live: boolean; show: ComponentType }) {
  useEffect(() => {
    document.title = `${title} · tfprof`;
  }, [title]);
  return (
    <>
      <Header of={null} live={live} />
      <Main name={title} place={name} busy={mainBusy.value > 0}><Show /></Main>
    </>
  );
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
      <a class="skip" href="#main" onClick={(e) => (e.preventDefault(), document.getElementById("main")?.focus())}>Skip to the content</a>
      {id ? <Workbench key={id} id={id} tables={known.value} /> : place.value === "jobs" && known.value.live ? <ListPage name="jobs" title="Jobs" live show={JobsPlace} /> : <ListPage name="profiles" title="Profiles" live={known.value.live ?? false} show={ProfilesPlace} />}
    </>
  );
}
