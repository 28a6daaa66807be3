// SPDX-License-Identifier: Apache-2.0
// The page: shows the state in the address.
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { ProfileEntry, Tables } from "./api";
import { profile, profiles, tables } from "./api";
import { holdsAny, isReport } from "./held";
import { useLoaded } from "./load";
import { Status } from "./parts/Status";
import { pages } from "./pages";
import { Compare } from "./pages/Compare";
import { Live } from "./pages/Live";
import { Profiles, useListVersion } from "./pages/Profiles";
import type { Route } from "./route";
import { hashOf, useRoute } from "./route";
import type { Theme } from "./theme";
import { THEMES, keepTheme, keptTheme } from "./theme";
import "./style.css";
import "./pages/pages.css";

function ThemeSwitch() {
  const [theme, set] = useState(keptTheme);
  useEffect(() => keepTheme(theme), [theme]);
  return (
    <label class="theme">
      Theme{" "}
      <select value={theme} onChange={(e) => set(e.currentTarget.value as Theme)}>
        {THEMES.map((t) => <option key={t}>{t}</option>)}
      </select>
    </label>
  );
}

/** The title in the browser's tabs and its history; null: another component sets it. */
function useTitle(parts: string[] | null): void {
  const title = parts && [...parts.filter(Boolean), "tfprof"].join(" · ");
  useEffect(() => {
    if (title) document.title = title;
  }, [title]);
}

/** Announces that the file has changed; the present content stays until the reader asks for the new one. */
function Changed({ entry, onAgain }: { entry: ProfileEntry | undefined; onAgain: () => void }) {
  const [seen, setSeen] = useState(entry?.modified);
  useEffect(() => {
    if (seen === undefined) setSeen(entry?.modified);
  }, [entry?.modified]);
  if (!entry || seen === undefined || seen === entry.modified) return null;
  return (
    <p class="note" role="status">
      The file has changed since.{" "}
      <button
        type="button"
        onClick={() => {
          setSeen(entry.modified);
          onAgain();
        }}
      >
        Show what is in it now
      </button>
    </p>
  );
}

function OneProfile({ route, known }: { route: Route; known: Tables }) {
  const version = useListVersion();
  const [again, setAgain] = useState(0);
  const facts = useLoaded(`facts ${again}`, (signal, progress) => profile(route.id, signal, progress));
  const list = useLoaded(`names ${version}`, (signal) => profiles(signal));
  const entry = list.value?.profiles.find((p) => p.id === route.id);
  const file = entry?.name ?? "PROFILE";
  const files = entry?.files?.length ? entry.files : [file];
  const page = pages.find((p) => p.name === route.page);
  useTitle([page?.title ?? "", entry?.name ?? ""]);
  if (facts.error)
    return (
      <main>
        <h1>{entry?.name ?? "Unknown profile"}</h1>
        <div class="fault" role="alert"><strong>This profile cannot be shown.</strong> {facts.error}</div>
        <p><a href="#/">All profiles</a></p>
      </main>
    );
  return (
    <Status of={facts}>
      {(f) => (
        <>
          <nav aria-label="pages of this profile">
            <span class="file" title={file}>{file}</span>
            <ul>
              {pages
                .filter((p) => p.fits(f))
                .map((p) => (
                  <li key={p.name}>
                    <a href={hashOf(p.name, route.id)} aria-current={p.name === route.page ? "page" : undefined}>{p.title}</a>
                  </li>
                ))}
            </ul>
          </nav>
          <Changed entry={entry} onAgain={() => setAgain(again + 1)} />
          <div key={again} class="page">
            {page?.show({ route, files, facts: f, tables: known }) ?? (
              <main><p class="empty">There is no such page. <a href={hashOf("overview", route.id)}>Overview</a></p></main>
            )}
          </div>
        </>
      )}
    </Status>
  );
}

function App() {
  const route = useRoute();
  const known = useLoaded("tables", tables);
  useTitle(route.id ? null : [{ compare: "Compare", live: "Running jobs" }[route.page] ?? "Profiles"]);
  return (
    <>
      <header>
        <span>
          <a class="brand" href="#/">tfprof</a> <a href="#/">Profiles</a>{" "}
          {known.value?.live && <a href="#/live">Jobs</a>}{" "}
          {(!isReport || holdsAny("/api/v1/compare")) && <a href={`#/compare${route.id && !isReport ? `?side=${route.id}` : ""}`}>Compare</a>}
        </span>
        <ThemeSwitch />
      </header>
      <Status of={known}>
        {(t) =>
          route.id ? (
            <OneProfile key={route.id} route={route} known={t} />
          ) : route.page === "compare" ? (
            <Compare route={route} tables={t} />
          ) : route.page === "live" && t.live ? (
            <Live route={route} />
          ) : route.page === "profiles" ? (
            <Profiles />
          ) : (
            <main><p class="empty">There is no such page. <a href="#/">Profiles</a></p></main>
          )
        }
      </Status>
    </>
  );
}

/** The first page of a report of one profile. */
async function begin(): Promise<void> {
  if (isReport && !location.hash) {
    const found = (await profiles()).profiles;
    if (found.length === 1 && found[0]) history.replaceState(null, "", hashOf("overview", found[0].id));
  }
  if (root) render(<App />, root);
}

keepTheme(keptTheme()); // before the first drawing
const root = document.getElementById("app");
void begin();
