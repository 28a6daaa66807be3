// SPDX-License-Identifier: Apache-2.0
// The header: the profile and facts about it, the search, and what can be done with the whole page.
import { useEffect, useState } from "preact/hooks";
import type { Tables } from "../answers/api";
import { profiles } from "../answers/api";
import { fewRanks, spaced, useInfo } from "../details/ProfilePanel";
import { isReport } from "../answers/embedded";
import { useLoaded } from "../answers/load";
import type { Opened } from "../state/opened";
import { nameOf } from "../state/opened";
import { Item, Menu } from "../parts/Menu";
import { Search } from "../search/Search";
import { goTo, hrefOf, hrefOfProfile, place, profileId } from "../state/store";
import type { Theme } from "../state/theme";
import { THEMES, keepTheme, keptTheme } from "../state/theme";
import { Keys } from "./Keys";
import { Share } from "./Share";

function ThemeButton() {
  const [theme, set] = useState(keptTheme);
  useEffect(() => keepTheme(theme), [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme;
  return <button type="button" class="hide" aria-label="Theme" data-hint={`Theme: ${theme}; click for ${next}`} onClick={() => set(next)}>◐</button>;
}

const MOST = 60; // most profiles in a menu

/** A list of the other profiles. */
function Others({ pick }: { pick: (id: string) => void }) {
  const list = useLoaded("others", (signal) => profiles(signal));
  const others = (list.value?.profiles ?? []).filter((p) => p.id !== profileId.value).sort((a, b) => b.modified - a.modified);
  return (
    <>
      {others.slice(0, MOST).map((p) => <Item key={p.id} onClick={() => pick(p.id)}>{nameOf(p.name, p.files ?? [])}</Item>)}
      {!others.length && !list.busy && <span class="s">There is no other profile.</span>}
    </>
  );
}

/** Rank, device, framework and date in one line. */
function Facts({ of }: { of: Opened }) {
  const info = useInfo(of);
  if (!info) return null;
  const s = info.summary;
  const words = [s.ranks && (Number(s.rank_count ?? 0) > 1 ? `${fewRanks(info)} ranks` : `rank ${s.ranks}`), spaced(String(s.device_models ?? "").replace(/^NVIDIA /, "")), s.framework, String(s.recorded ?? "").slice(0, 10)];
  return <span class="s hide model">{words.filter(Boolean).join(" · ")}</span>;
}

export function Header({ of, tables = of?.tables }: { of: Opened | null; tables?: Tables | undefined }) {
  return (
    <header>
      <a class="brand" href="#/">tfprof</a>
      {tables?.index && <a class="hide" href="#/runs" aria-current={place.value === "runs" ? "page" : undefined}>Runs</a>}
      {tables?.watch && <a class="hide" href="#/watch" aria-current={place.value === "watch" ? "page" : undefined}>Watch</a>}
      {tables?.live && <a class="hide" href="#/jobs" aria-current={place.value === "jobs" ? "page" : undefined}>Jobs</a>}
      {of && (
        <Menu class="profile" label={`Profile ${of.name}`} text={<span data-hint={of.files.join("\n")}>{of.name} ▾</span>} name="Profiles">
          {(close) => <><Item href="#/" onClick={close}>All profiles</Item><Others pick={(id) => (close(), (location.hash = hrefOfProfile(id)))} /></>}
        </Menu>
      )}
      {of && <Facts of={of} />}
      {of && <Search of={of} />}
      <span class="fill" />
      {of && !isReport && (
        <span class="hide">
          <Menu text="Compare with…" name="Compare with">{(close) => <Others pick={(id) => (close(), goTo("compare", { vs: id }))} />}</Menu>
        </span>
      )}
      {of && isReport && place.value !== "compare" && <a class="button hide" href={hrefOf({ place: "compare" })}>Compare</a>}
      {of && <Share of={of} />}
      <Keys />
      <ThemeButton />
    </header>
  );
}
