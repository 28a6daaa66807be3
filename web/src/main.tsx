// SPDX-License-Identifier: Apache-2.0
// Starts the page: theme, first place, drawing.
import { render } from "preact";
import { parseAddress } from "./state/address";
import { profiles, tables } from "./answers/api";
import { isReport } from "./answers/embedded";
import { App } from "./shell/App";
import { change } from "./state/store";
import { keepTheme, keptTheme } from "./state/theme";
import "./style.css";
import "./pages/pages.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/timeline.css";
import "./style/grid.css";
import "./style/places.css";
import "./style/details.css";
import "./style/watch.css";

/** The place where a notebook wants a report to begin, in the form of an address after the profile. */
const wanted = (): string => document.querySelector<HTMLMetaElement>('meta[name="tfprof-place"]')?.content ?? "overview";

/** The first place of a page without an address: a report of one profile begins with it, a server of running jobs or of an index with their list. */
async function begin(root: HTMLElement): Promise<void> {
  if (!location.hash && isReport) {
    const found = (await profiles()).profiles;
    if (found.length === 1 && found[0]) change(parseAddress(`#/p/${encodeURIComponent(found[0].id)}/${wanted()}`).state, "replace");
  } else if (!location.hash) {
    const { live, index, watch } = await tables();
    if (live || index || watch) change({ place: live ? "jobs" : watch ? "watch" : "runs" }, "replace");
  }
  render(<App />, root);
}

keepTheme(keptTheme()); // before the first drawing
const root = document.getElementById("app");
if (root) void begin(root);
