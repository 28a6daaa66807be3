// SPDX-License-Identifier: Apache-2.0
// Light or dark: the user's choice, or the system's. Drawings on a canvas are redrawn when it changes.
import { useEffect, useState } from "preact/hooks";

export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

// A report that was opened from a mail may have no storage.
export function keptTheme(): Theme {
  try {
    return (localStorage.getItem("theme") as Theme | null) ?? "auto";
  } catch {
    return "auto";
  }
}

export function keepTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    return;
  }
}

const system = matchMedia("(prefers-color-scheme: dark)");

function shownTheme(): string {
  const chosen = document.documentElement.dataset.theme ?? "auto";
  return chosen === "auto" ? (system.matches ? "dark" : "light") : chosen;
}

/** "light" or "dark"; a component that uses it is drawn again when it changes. */
export function useShownTheme(): string {
  const [theme, set] = useState(shownTheme);
  useEffect(() => {
    const follow = (): void => set(shownTheme());
    const watch = new MutationObserver(follow);
    watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    system.addEventListener("change", follow);
    follow();
    return () => {
      watch.disconnect();
      system.removeEventListener("change", follow);
    };
  }, []);
  return theme;
}
