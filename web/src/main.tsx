// SPDX-License-Identifier: Apache-2.0
// The page begins: theme, first place, drawing.
import { render } from "preact";
import { profiles, tables } from "./api";
import { isReport } from "./held";
import { App } from "./shell/App";
import { change } from "./store";
import { keepTheme, keptTheme } from "./theme";
import "./style.css";
import "./pages/pages.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/timeline.css";
import "./style/grid.css";
import "./style/places.css";
import "./style/details.css";

/** Where a page without an address begins: a report of one profile with it, a server of running jobs with these. */
async function begin(root: HTMLElement): Promise<void> {
  if (!location.hash && isReport) {
    const found = (await profiles()).profiles;
    if (found.length === 1 && found[0]) change({ profile: found[0].id, place: "overview" }, "replace");
  } else if (!location.hash && (await tables()).live) change({ place: "jobs" }, "replace");
  render(<App />, root);
}

keepTheme(keptTheme()); // before the first drawing
const root = document.getElementById("app");
if (root) void begin(root);
