// SPDX-License-Identifier: Apache-2.0
// The header: the profile and facts about it, the search, and what can be done with the whole page.
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Opened } from "../opened";
import { hrefOf } from "../store";
import type { Theme } from "../theme";
import { THEMES, keepTheme, keptTheme } from "../theme";

function ThemeButton() {
  const [theme, set] = useState(keptTheme);
  useEffect(() => keepTheme(theme), [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme;
  return <button type="button" class="hide" aria-label="Theme" title={`Theme: ${theme}; click for ${next}`} onClick={() => set(next)}>◐</button>;
}

export function Header({ of, facts, children }: { of: Opened | null; facts?: string; children?: ComponentChildren }) {
  return (
    <header>
      <a class="brand" href="#/">tfprof</a>
      {of && <a class="profile" href="#/" title={of.files.join("\n")}>{of.name} ▾</a>}
      {facts && <span class="s hide model">{facts}</span>}
      {children}
      <span class="fill" />
      {of && <a class="button hide" href={hrefOf({ place: "compare" })}>Compare with…</a>}
      {of && <button type="button">Share</button>}
      <button type="button" class="hide" aria-label="Keys">?</button>
      <ThemeButton />
    </header>
  );
}
